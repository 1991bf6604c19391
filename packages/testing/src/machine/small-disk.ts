import { execFile } from 'node:child_process'
import { open, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { aFolder, cleanUp } from './clean-up.ts'

const run = promisify(execFile)

/** Fills most of the disk in large pieces, and the rest page by page. */
const PIECES = [2 ** 20, 4096]

export interface SmallDisk {
  folder: string
  free(): Promise<number>
  /** Fills the remaining space, as another program would. The returned function frees it. */
  fill(): Promise<() => Promise<void>>
}

/** Mounts an empty disk in memory. Returns the reason if this user cannot mount one. */
export async function aSmallDisk(t: TestContext, megabytes: number): Promise<SmallDisk | string> {
  const folder = await aFolder(t)
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'stowage-test', folder])
  } catch (error) {
    return `cannot mount a small disk: ${error}`
  }
  cleanUp(t, () => run('umount', ['--lazy', folder]))

  async function free(): Promise<number> {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  }

  return {
    folder,
    free,
    async fill() {
      const file = join(folder, `something-else-${performance.now()}`)
      const handle = await open(file, 'w')
      try {
        for (const size of PIECES) {
          const piece = Buffer.alloc(size, 1)
          while ((await free()) >= size) await handle.write(piece)
        }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
      } finally {
        await handle.close()
      }
      return () => rm(file)
    },
  }
}
