import type { StorageUpload } from '../storage.ts'

/** The options of the listener's thread. */
export interface ListenerOptions {
  directory: string
  host: string
  port: number
  /** Hexadecimal. */
  secret: string
  fastBody: boolean
  /** The number of bytes on the disk to keep free. */
  reserve: number
  /** The number of running transfers, shared with the owner. */
  transfers: Int32Array<SharedArrayBuffer>
}

export type ToListener =
  | { type: 'close' }
  /** The upload accepts no more parts: running transfers are aborted. */
  | { type: 'ended'; upload: StorageUpload }

export type ToOwner =
  | { type: 'listening'; port: number }
  | { type: 'listenFailed'; code: string; message: string }
  /** The object of a download does not exist: it was deleted or lost. */
  | { type: 'missing'; key: string }
  /** A request failed because of the storage. */
  | {
      type: 'failed'
      requestId: string
      method: string | undefined
      path: string | undefined
      error: string
      /** The key of the object, if the request found that its bytes have changed or cannot be read. */
      damaged?: string
    }
