import type { Actor } from './key.ts'

/**
 * `uploading → completing → ready`, or `uploading → cancelled | expired`, and `ready → deleted`.
 * If the storage refuses a completion, the status changes from `completing` back to `uploading`. A completion that
 * still fails when the upload is overdue becomes `expired`. Restoring an asset from the trash makes it `ready` again.
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
  /** When its name, its path, its tags, `isInline`, its version, or the URL or the size of a link last changed. */
  updatedAt: Date
  /** The number of the current version: 1, 2, … A link has version 1. */
  version: number
  /** The folder it came from, such as `course/week 1`; null if it came from none. */
  path: string | null
  /** Normalized by `normalizeTags`. */
  tags: string[]
  /** Whether buyers may also open it without downloading it, if it is audio, video, PDF or a picture. */
  isInline: boolean
  /** The integrity of the current version. */
  integrity: Integrity
}

/** What is known about the bytes of an object. */
export interface Integrity {
  /** The SHA-256 that the bytes must have: declared by the client, or of the first read. Null until known. */
  sha256: string | null
  /** When a read last found this digest; null if no read has. */
  verifiedAt: Date | null
  /** Whether the last read found other bytes, unreadable bytes, or no object. */
  isDamaged: boolean
  /** Whether downloads do not get the object: no read has found the declared SHA-256 yet. */
  isWithheld: boolean
}

/** The integrity of links, and of files without a declared SHA-256 that were not read yet. */
export const NOT_VERIFIED: Integrity = {
  sha256: null,
  verifiedAt: null,
  isDamaged: false,
  isWithheld: false,
}

/** The upload of a file, which becomes a new asset, or the next version of the asset that it replaces. */
export interface Upload {
  /** `ready` when it is completed; `deleted` if its asset was deleted afterward. */
  status: AssetStatus
  /** The file. The ID of a replacement is its own; the API shows the ID of the asset in `replaces`. */
  asset: Omit<Asset, 'status'>
  /** Null unless it uploads a new version of an asset. */
  replaces: Replacement | null
  /** The key of the object: the ID of `asset` or, after a replacement, of the row that uploaded the current version. */
  key: string
  /** The ID that the client sends back to complete or cancel the upload. */
  id: string
  /** The storage’s own ID of the upload. */
  storageId: string
  chunkSize: number
  /** The key or upload token that started it, even if it has since been revoked; null if the service required no key. */
  startedBy: Actor | null
  /** The upload token that started it, if one did. */
  tokenId: string | null
  /** When it expires by the database’s clock, unless activity extends it. */
  expiresAt: Date
}

export interface Replacement {
  assetId: string
  /** Whether the new version keeps the name of the asset. */
  keepsName: boolean
}

/** One version of a file. Each one is an object of its own, and is never overwritten. */
export interface AssetVersion {
  version: number
  isCurrent: boolean
  filename: string
  bytes: number
  mime: string
  createdAt: Date
  /** The key of its object. */
  key: string
  chunkSize: number
  /** Higher for versions that were replaced later, and the highest for the current one. Restoring an older version counts. */
  replacedIn: number
  integrity: Integrity
}

/** The key of an object is the ID of the row that uploaded it. Any other name is not an object of this service. */
export function isAssetId(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}

/** The media type of a file whose client sent none. */
export const UNKNOWN_MEDIA_TYPE = 'application/octet-stream'

/** Whether the API still returns the asset, apart from the list of the trash. */
export function isVisible(status: AssetStatus): boolean {
  return status === 'uploading' || status === 'completing' || status === 'ready'
}

/** The asset or version to which an object belongs. */
interface ObjectOwner {
  status: AssetStatus
  isSuperseded: boolean
  storageId: string | undefined
}

/**
 * Whether an upload that is open in the storage must not be aborted, because its asset is unfinished, or because
 * the object may have been created from it. Some storage still lists an upload after its completion, and aborting
 * it would destroy the object. If no storage ID was recorded, for example for an asset that a move copied, any
 * upload with the key of the object may be the one that created it.
 */
export function isUploadInUse(
  { status, isSuperseded, storageId }: ObjectOwner,
  id: string,
): boolean {
  if (status === 'ready' || isSuperseded) return storageId === undefined || storageId === id
  return status === 'uploading' || status === 'completing'
}

/** Whether an upload is still open although its asset is ready. The storage did not finish the completion. */
export function isLeftOpen(owner: ObjectOwner, id: string): boolean {
  return owner.status === 'ready' && isUploadInUse(owner, id)
}
