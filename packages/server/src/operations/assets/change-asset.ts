import type { Asset } from '../../domain/asset.ts'
import { normalizePath } from '../../domain/asset-path.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { assetNotFound } from './asset-not-found.ts'
import { checkLinkFields } from './check-link-fields.ts'
import { getAsset } from './get-asset.ts'
import { parseLinkSize } from './parse-link-size.ts'

export interface AssetChanges {
  filename?: string | undefined
  url?: string | undefined
  size?: number | string | undefined
  /** Null or empty removes it. */
  path?: string | null | undefined
}

/** Renames an asset, or changes its path. The URL and the size can only be changed for links. */
export async function changeAsset(
  context: AccountContext,
  assetId: string,
  changes: AssetChanges,
): Promise<Asset> {
  const { filename, url, size, path } = changes
  const bytes = parseLinkSize(size)
  const change = {
    ...(filename !== undefined && { filename }),
    ...(url !== undefined && { url }),
    ...(bytes !== undefined && { bytes }),
    ...(path !== undefined && { path: normalizePath(path) }),
  }
  checkLinkFields({ ...change, path })
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
    Object.fromEntries(given.map(([field]) => [field, ['can only be changed for links']])),
  )
}
