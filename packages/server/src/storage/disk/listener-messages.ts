import type { StorageUpload } from '../storage.ts'

/** What the listener's thread is started with. */
export interface ListenerOptions {
  directory: string
  host: string
  port: number
  /** Hexadecimal. */
  secret: string
  fastBody: boolean
  /** How many bytes of the disk are to stay free. */
  reserve: number
}

export type ToListener =
  | { type: 'close' }
  /** The upload takes no more parts: those under way are given up. */
  | { type: 'ended'; upload: StorageUpload }

export type ToOwner =
  | { type: 'listening'; port: number }
  /** It can't listen. */
  | { type: 'refused'; code: string; message: string }
  /** A request failed for a reason that is not the client's. */
  | {
      type: 'failed'
      requestId: string
      method: string | undefined
      path: string | undefined
      error: string
    }
