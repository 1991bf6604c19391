import { formatSize } from '@stowage/protocol/format'
import type { DoctorContext } from './doctor-context.ts'

/** How often it is told. */
const EVERY_MS = 500

export interface FileProgress {
  /** Another file was looked at. */
  addFile(): void
  /** More bytes of the present file were read. */
  addBytes(count: number): void
}

/** Tells how many files were looked at, and with `verify` how many of their bytes were read. */
export async function openFileProgress(context: DoctorContext): Promise<FileProgress> {
  const { database, clock, verify, onProgress } = context
  const total = verify ? await storedBytes(database) : 0
  let files = 0
  let bytes = 0
  let toldAt = 0

  function tell(): void {
    const now = clock().getTime()
    if (Math.abs(now - toldAt) < EVERY_MS) return
    toldAt = now
    const read = verify ? `, ${formatSize(bytes)} of ${formatSize(total)} read` : ''
    onProgress(`${files} files looked at${read}`)
  }

  return {
    addFile() {
      files += 1
      tell()
    },
    addBytes(count) {
      bytes += count
      tell()
    },
  }
}

async function storedBytes(database: DoctorContext['database']): Promise<number> {
  let bytes = 0
  for (const { id } of await database.listAccounts()) {
    bytes += (await database.of(id).readSummary()).stored
  }
  return bytes
}
