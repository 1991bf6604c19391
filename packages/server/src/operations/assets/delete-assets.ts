import type { AccountContext } from '../context.ts'
import { removeParts } from '../uploads/remove-parts.ts'
import { unknownAssets } from './unknown-assets.ts'

/**
 * Moves the assets to the trash, or removes them if the deletion is permanent or the service has no trash; all of them
 * or none.
 */
export async function deleteAssets(
  context: AccountContext,
  ids: string[],
  { isPermanent }: { isPermanent: boolean },
): Promise<void> {
  const { data, settings } = context
  const isRemoval = isPermanent || settings.trashForMs === 0
  const result = await (isRemoval ? data.deleteAssets(ids) : data.trashAssets(ids))
  if (result.outcome === 'assets_not_found') throw unknownAssets(result.unknown)
  for (const replacement of result.replacements) await removeParts(context, replacement)
}
