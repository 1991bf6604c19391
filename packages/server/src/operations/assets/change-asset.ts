import type { Asset } from '../../domain/asset.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { assetNotFound, getAsset } from './get-asset.ts'
import { checkLinkFields, readLinkSize } from './store-link.ts'

export interface AssetChanges {
  filename?: string | undefined
  url?: string | undefined
  size?: number | string | undefined
}

/** Renames an asset; address and size can be changed only where they are not facts: of a link. */
export async function changeAsset(
  context: AccountContext,
  assetId: string,
  changes: AssetChanges,
): Promise<Asset> {
  const { filename, url, size } = changes
  const bytes = readLinkSize(size)
  const change = {
    ...(filename !== undefined && { filename }),
    ...(url !== undefined && { url }),
    ...(bytes !== undefined && { bytes }),
  }
  checkLinkFields(change)
  const asset = await getAsset(context, assetId)
  if (asset.kind === 'file') refuseLinkFields({ url, size })
  const changed = await context.data.changeAsset(assetId, change)
  if (changed === undefined) throw assetNotFound()
  return changed
}

function refuseLinkFields(fields: { url: unknown; size: unknown }): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (given.length === 0) return
  throw invalid(
    Object.fromEntries(given.map(([field]) => [field, ['can be changed of a link only']])),
  )
}
