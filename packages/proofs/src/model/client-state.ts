import type { UploadSession } from '@stowage/protocol'

/** The session of an upload, or of a new version of an asset. */
export type Session = UploadSession & {
  isReplacement?: true
  /** Its calls use the upload token that all clients share. */
  byToken?: true
  /** The upload token that its calls use, which is only for this asset. */
  ownToken?: string
}

/** Data that the clients of an account got in responses. Plain data, so that another process can continue with it. */
export interface ClientState {
  sessions: Session[]
  /** The ETags that the storage returned, by upload and part. */
  etags: Record<string, Record<number, string>>
  /** The IDs of products, by variant. */
  products: Record<number, string>
  /** The upload token that all clients share, once it was needed. */
  token?: { secret: string; attaches?: number }
}

export function newClientState(): ClientState {
  return { sessions: [], etags: {}, products: {} }
}
