import { type Asset, NOT_VERIFIED, UNKNOWN_MEDIA_TYPE } from '../../domain/asset.ts'
import { normalizePath } from '../../domain/asset-path.ts'
import type { AccountContext } from '../context.ts'
import { checkLinkFields } from './check-link-fields.ts'
import { parseLinkSize } from './parse-link-size.ts'

export interface LinkDetails {
  filename: string
  url: string
  /** Bytes, or a string such as 10MB. */
  size?: number | string | undefined
  path?: string | null | undefined
}

/** A link is an asset like a file, but the service never fetches its URL. */
export async function storeLink(context: AccountContext, link: LinkDetails): Promise<Asset> {
  const bytes = parseLinkSize(link.size) ?? 0
  checkLinkFields(link)
  const createdAt = context.clock()
  const asset: Asset = {
    id: context.newId(),
    accountId: context.accountId,
    kind: 'link',
    status: 'ready',
    filename: link.filename,
    bytes,
    mime: UNKNOWN_MEDIA_TYPE,
    url: link.url,
    createdAt,
    updatedAt: createdAt,
    version: 1,
    integrity: NOT_VERIFIED,
    path: normalizePath(link.path),
  }
  await context.data.addLink(asset)
  return asset
}
