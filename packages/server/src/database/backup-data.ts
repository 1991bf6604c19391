/** A backup as the database of the service knows it. */
export interface BackupRecord {
  id: string
  /** The folder, as the command was given it. */
  location: string
  startedAt: Date
  /** Null while it runs, and if it was interrupted. */
  finishedAt: Date | null
  /** It holds the removals. */
  isRunning: boolean
  result: BackupResult | null
}

export interface BackupResult {
  generation: string
  files: number
  bytes: number
  /** Files that are damaged or missing in the service. */
  damaged: number
}

/** The longest time for which removals can be held at once. */
export const MAX_HOLD_MS = 3_600_000

/** How many backups the database remembers. */
export const KEPT_BACKUPS = 100

export interface BackupData {
  /**
   * Records that a backup has started, and holds the removals: from now on, `claimDueRemovals` returns no objects of
   * removed files until the hold ends, at most `MAX_HOLD_MS` from now. Forgets the oldest backups.
   */
  beginBackup(backup: { id: string; location: string; holdForMs: number }): Promise<void>
  /** Extends the hold. False if it has ended: objects may have been removed since. */
  holdRemovals(id: string, holdForMs: number): Promise<boolean>
  /** Ends the hold. Without a result, the backup counts as interrupted. */
  endBackup(id: string, result: BackupResult | undefined): Promise<void>
  /** The newest first. */
  listBackups(limit: number): Promise<BackupRecord[]>
}
