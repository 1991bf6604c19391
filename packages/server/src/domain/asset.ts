import type { Actor } from './key.ts'

/**
 * `uploading → completing → ready`, or `uploading → cancelled | expired`, and `ready → deleted`.
 * If the storage refuses a completion, the status changes from `completing` back to `uploading`.
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
  /** The URL of a link; null for a file. */
  url: string | null
  createdAt: Date
  /** The folder it came from, such as `course/week 1`; null if it came from none. */
  path: string | null
}

/** The upload of a file, with its asset. */
export interface Upload {
  asset: Asset
  /** The ID that the client sends back to complete or cancel the upload. */
  id: string
  /** The storage’s own ID of the upload. */
  storageId: string
  chunkSize: number
  /** The key that started it, even if it has since been revoked; null if the service required no key. */
  startedBy: Actor | null
  /** When it expires by the database’s clock, unless activity extends it. */
  expiresAt: Date
}

/** Objects are named after their assets: any other name is not one of this service’s objects. */
export function isAssetId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** The media type of a file whose client sent none. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

/** Whether the API still returns the asset. */
export function isVisible(status: AssetStatus): boolean {
  return status === 'uploading' || status === 'completing' || status === 'ready'
}
