/** One result of `stowage doctor`. */
export interface Finding {
  about:
    | 'settings'
    | 'database'
    | 'storage'
    | 'bucket rules'
    | 'books'
    | 'events'
    | 'files'
    | 'uploads'
    | 'webhooks'
  /**
   * `note`: it works, but there is something to know. `pending`: the service creates it when it starts.
   * `mended`: it was wrong and was repaired now.
   */
  verdict: 'well' | 'note' | 'pending' | 'wrong' | 'mended'
  says: string
  /** The affected items, if there are several. */
  items?: string[]
  /** What fixes it: a command, or text to paste. */
  remedy?: string
}
