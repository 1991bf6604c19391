/** One result of `stowage doctor`. */
export interface Finding {
  check:
    | 'settings'
    | 'database'
    | 'storage'
    | 'bucket rules'
    | 'usage'
    | 'orders'
    | 'bulk changes'
    | 'events'
    | 'files'
    | 'uploads'
    | 'secret key'
    | 'webhooks'
    | 'mail'
  /**
   * `note`: it works, but there is something to know. `pending`: the service creates it when it starts.
   * `fixed`: it was an error and was repaired now.
   */
  status: 'ok' | 'note' | 'pending' | 'error' | 'fixed'
  message: string
  /** The affected items, such as files or accounts. */
  items?: string[]
  /** What fixes it: an instruction, a command, or text to paste. */
  remedy?: string
}
