import type { AccountContext } from '../context.ts'
import { removeParts } from '../uploads/remove-parts.ts'
import { unknownAssets } from './unknown-assets.ts'

/** Moves the assets to the trash, or removes them if the service has no trash; all of them or none. */
export async function deleteAssets(context: AccountContext, ids: string[]): Promise<void> {
  const { data, settings } = context
  const result = await (settings.trashForMs > 0 ? data.trashAssets(ids) : data.deleteAssets(ids))
  if (result.outcome === 'assets_not_found') throw unknownAssets(result.unknown)
  for (const replacement of result.replacements) await removeParts(context, replacement)
}
