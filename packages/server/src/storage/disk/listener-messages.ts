/** What the listener's thread is started with. */
export interface ListenerOptions {
  directory: string
  host: string
  port: number
  /** Hexadecimal. */
  secret: string
  plainReads: boolean
}

export type ToListener = { type: 'close' }

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
