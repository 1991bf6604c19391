import { parseSize } from '@stowage/protocol/format'
import { type Asset, UNKNOWN_MEDIA_TYPE } from '../../domain/asset.ts'
import { problemWithFilename } from '../../domain/filename.ts'
import { problemWithLinkAddress } from '../../domain/link-url.ts'
import { invalid } from '../../errors.ts'
import type { AccountContext } from '../context.ts'

export interface LinkDetails {
  filename: string
  url: string
  /** Bytes, or text such as 10MB. */
  size?: number | string | undefined
}

/** A link is an asset like a file, but nothing is ever fetched from its address. */
export async function storeLink(context: AccountContext, link: LinkDetails): Promise<Asset> {
  const bytes = readLinkSize(link.size) ?? 0
  checkLinkFields(link)
  const asset: Asset = {
    id: context.newId(),
    accountId: context.accountId,
    kind: 'link',
    status: 'ready',
    filename: link.filename,
    bytes,
    mime: UNKNOWN_MEDIA_TYPE,
    url: link.url,
    createdAt: context.clock(),
  }
  await context.data.addLink(asset)
  return asset
}

/** Refuses a name or an address that no asset may have. */
export function checkLinkFields(fields: { filename?: string; url?: string }): void {
  const problems = {
    filename: fields.filename === undefined ? undefined : problemWithFilename(fields.filename),
    url: fields.url === undefined ? undefined : problemWithLinkAddress(fields.url),
  }
  const errors = Object.entries(problems).flatMap(([field, problem]) =>
    problem === undefined ? [] : [[field, [problem]]],
  )
  if (errors.length > 0) throw invalid(Object.fromEntries(errors))
}

export function readLinkSize(size: number | string | undefined): number | undefined {
  if (typeof size !== 'string') return size
  const bytes = parseSize(size)
  if (bytes === undefined) {
    throw invalid({ size: ['must be bytes, or text such as 10MB or 1.5 GB'] })
  }
  return bytes
}
