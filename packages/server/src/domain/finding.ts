/** What doctor says about one thing that it looked at. */
export interface Finding {
  about: 'settings' | 'database' | 'storage' | 'bucket rules' | 'books' | 'files' | 'uploads'
  /**
   * `note`: it works, but the reader will want to know. `pending`: it is made when the service
   * starts. `mended`: it was wrong until now.
   */
  verdict: 'well' | 'note' | 'pending' | 'wrong' | 'mended'
  says: string
  /** The things that it is about, if they are many. */
  items?: string[]
  /** What mends it: a command, or text to paste, as it is. */
  remedy?: string
}
