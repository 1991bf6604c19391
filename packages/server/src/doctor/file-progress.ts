import { formatSize } from '@stowage/protocol/format'
import type { DoctorContext } from './doctor-context.ts'

const INTERVAL_MS = 500

export interface FileProgress {
  /** Counts a checked file. */
  addFile(): void
  /** Counts bytes read of the current file. */
  addBytes(count: number): void
}

/** Reports how many files were checked, and with `verify` how many of their bytes were read. */
export async function openFileProgress(context: DoctorContext): Promise<FileProgress> {
  const { database, clock, verify, onProgress } = context
  const total = verify ? await storedBytes(database) : 0
  let files = 0
  let bytes = 0
  let reportedAt = 0

  function report(): void {
    const now = clock().getTime()
    if (Math.abs(now - reportedAt) < INTERVAL_MS) return
    reportedAt = now
    const read = verify ? `, ${formatSize(bytes)} of ${formatSize(total)} read` : ''
    onProgress(`${files} ${files === 1 ? 'file' : 'files'} checked${read}`)
  }

  return {
    addFile() {
      files += 1
      report()
    },
    addBytes(count) {
      bytes += count
      report()
    },
  }
}

/** Includes the files in the trash, which are checked, too. */
async function storedBytes(database: DoctorContext['database']): Promise<number> {
  let bytes = 0
  for (const { id } of await database.listAccounts()) {
    const { stored, trash } = await database.of(id).readSummary()
    bytes += stored + trash
  }
  return bytes
}
