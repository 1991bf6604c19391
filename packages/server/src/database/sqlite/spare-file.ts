import { randomBytes } from 'node:crypto'
import { existsSync, statSync, unlinkSync } from 'node:fs'
import { open, rename, rm, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

const PIECE = 1024 * 1024
/** More than the log of SQLite grows to before it begins anew (4 MB), and what freeing adds to the file. */
const MOST_PIECES = 8

export interface SpareRoom {
  /** Gives the room to the database. False when it had been given before. */
  release(): boolean
  /** Takes it again, at most half of what is free. Repeatable. */
  keep(): Promise<void>
}

/**
 * A file beside the database that only takes room. On a disk that something else has filled, SQLite
 * can't write even a deletion; without this file it can, and deleting makes room again.
 */
export function spareRoomBeside(databaseFile: string): SpareRoom {
  const file = `${databaseFile}-spare`

  async function make(pieces: number): Promise<void> {
    const handle = await open(`${file}.new`, 'w', 0o600)
    try {
      // Zeros would take no room on file systems that compress.
      for (let piece = 0; piece < pieces; piece += 1) await handle.write(randomBytes(PIECE))
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
    async keep() {
      const held = statSync(file, { throwIfNoEntry: false })?.size ?? 0
      if (held === MOST_PIECES * PIECE) return
      const { bavail, bsize } = await statfs(dirname(file))
      const pieces = Math.min(MOST_PIECES, Math.floor((bavail * bsize) / PIECE / 2))
      if (pieces * PIECE <= held) return
      await make(pieces).catch(async (error: unknown) => {
        await rm(`${file}.new`, { force: true })
        throw error
      })
    },
  }
}
