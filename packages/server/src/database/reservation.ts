import type { Asset, AssetStatus, Upload } from '../domain/asset.ts'
import type { Usage } from '../domain/plan.ts'

export interface NewUpload {
  upload: Omit<Upload, 'expiresAt'>
  /** The upload expires after this time without activity. */
  keptForMs: number
  /** A request with the same key and the same digest of its body is a repetition. */
  idempotency?: { key: string; digest: string }
  /** The size is only an estimate: the reservation uses free room, and removes no trash and no superseded objects. */
  isProvisional?: boolean
}

/** A provisional size does not fit into the free room. `free` is the room without removing anything; it may be negative. */
export interface NoFreeRoom {
  outcome: 'no_free_room'
  free: number
}

export interface TokenExceeded {
  outcome: 'token_exceeded'
  remaining: { bytes: number; files: number }
}

export interface ResizeOptions {
  /** As in `NewUpload`. */
  isProvisional?: boolean
  /** The upload token that resizes its own upload: the new size counts toward its limits, even if it has expired. */
  tokenId?: string
}

export type Reservation =
  | { outcome: 'reserved' }
  | { outcome: 'storage_exceeded'; usage: Usage }
  /** The same request was already made; this is its upload. */
  | { outcome: 'repeated'; upload: Upload }
  /** The key was used for a different request. */
  | { outcome: 'key_reused' }
  /** The asset to replace is not a ready file; undefined when it does not exist. */
  | { outcome: 'not_replaceable'; asset: Pick<Asset, 'kind' | 'status'> | undefined }
  /** Another replacement of the asset is unfinished. */
  | { outcome: 'replacement_in_progress'; uploadId: string }
  | NoFreeRoom
  /** The upload exceeds the limits of its token. */
  | TokenExceeded
  | { outcome: 'token_expired'; expiresAt: Date }

export type Resizing =
  | { outcome: 'resized' }
  /** Nothing changed. `growth` is the number of additional bytes requested. */
  | { outcome: 'storage_exceeded'; usage: Usage; growth: number }
  /** Nothing changed. `free` includes the bytes that the upload has reserved. */
  | NoFreeRoom
  /** Nothing changed. `remaining.bytes` includes the bytes of the upload. */
  | TokenExceeded
  /** The asset is not uploading. The status is undefined when the asset does not exist. */
  | { outcome: 'refused'; status: AssetStatus | undefined }
  /** A completion was already started, and may still be running. */
  | { outcome: 'final' }
