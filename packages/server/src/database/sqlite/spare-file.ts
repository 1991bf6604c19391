import { randomBytes } from 'node:crypto'
import { existsSync, statSync, unlinkSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

const CHUNK_BYTES = 1024 * 1024
/** Covers the growth of the write-ahead log until its next checkpoint (4 MB), and of the database file. */
const MAX_CHUNKS = 8

export interface SpareFile {
  /** Deletes the file, so that the database can use its space. False when there is no file. */
  release(): boolean
  /** Creates or enlarges the file, up to half of the free disk space. Idempotent. */
  allocate(): Promise<void>
}

/**
 * A file next to the database that only occupies disk space. On a full disk SQLite can't even commit a
 * deletion. Deleting this file gives it the space to do so.
 */
export function openSpareFile(databaseFile: string): SpareFile {
  const file = `${databaseFile}-spare`

  async function create(chunks: number): Promise<void> {
    const handle = await open(`${file}.new`, 'w', 0o600)
    try {
      // Random bytes, because a file system that compresses would need almost no space for zeros.
      for (let chunk = 0; chunk < chunks; chunk += 1) await handle.write(randomBytes(CHUNK_BYTES))
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(`${file}.new`, file)
  }

  return {
    release() {
      if (!existsSync(file)) return false
      unlinkSync(file)
      return true
    },
    async allocate() {
      const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (size === MAX_CHUNKS * CHUNK_BYTES) return
      const { bavail, bsize } = await statfs(dirname(file))
      const chunks = Math.min(MAX_CHUNKS, Math.floor((bavail * bsize) / CHUNK_BYTES / 2))
      if (chunks * CHUNK_BYTES <= size) return
      await create(chunks).catch(async (error: unknown) => {
        await rm(`${file}.new`, { force: true })
        throw error
      })
    },
  }
}
