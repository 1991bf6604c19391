import type { BackupData } from '../database/backup-data.ts'

const HOLD_MS = 10 * 60_000
const RENEWED_EVERY_MS = 60_000

/** Holds the removals of objects while a backup runs. */
export interface Hold {
  /** Whether removals were held all the time. If not, objects that the backup needs may have been removed. */
  check(): Promise<boolean>
  stop(): void
}

/** Renews the hold until it is stopped. If the process is killed, the hold ends after ten minutes. */
export async function holdRemovals(
  database: BackupData,
  backup: { id: string; location: string },
): Promise<Hold> {
  await database.beginBackup({ ...backup, holdForMs: HOLD_MS })
  let isHeld = true
  async function renew(): Promise<void> {
    const isRenewed = await database.holdRemovals(backup.id, HOLD_MS)
    if (!isRenewed) isHeld = false
  }
  // If the database is unavailable, a later call finds out whether the hold has ended.
  const timer = setInterval(() => void renew().catch(() => {}), RENEWED_EVERY_MS)
  return {
    async check() {
      await renew()
      return isHeld
    },
    stop: () => clearInterval(timer),
  }
}
