/**
 * `uploading → completing → ready`, or `uploading → cancelled | expired`, and `ready → deleted`.
 * A completion that the storage refuses goes back from `completing` to `uploading`.
 */
export type AssetStatus = 'uploading' | 'completing' | 'ready' | 'cancelled' | 'expired' | 'deleted'

export interface Asset {
  id: string
  accountId: string
  kind: 'file' | 'link'
  status: AssetStatus
  filename: string
  bytes: number
  mime: string
  /** The address of a link. */
  url: string | null
  createdAt: Date
}

/** How a file travels: beside the asset, what its upload and its parts need. */
export interface Upload {
  asset: Asset
  /** What the client sends back as `upload_id`. */
  id: string
  /** The storage's own name for the upload. */
  storageId: string
  chunkSize: number
  /** When it expires, by the database's clock, unless something happens to it before. */
  expiresAt: Date
}

/** Objects are named after their assets: what looks otherwise is none of ours. */
export function isAssetId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** Of bytes that nobody said anything about. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

/** Whether the asset can still be read by who holds its id. */
export function isVisible(status: AssetStatus): boolean {
  return status === 'uploading' || status === 'completing' || status === 'ready'
}
