import { execFile } from 'node:child_process'
import { mkdtemp, open, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

type Step = () => Promise<unknown> | unknown

const stacks = new WeakMap<TestContext, Step[]>()

/**
 * Runs the step after the test, even if other steps fail. Steps run in reverse order, so that a resource is
 * closed before the one it was opened on.
 */
export function cleanUp(t: TestContext, step: Step): void {
  const stack = stacks.get(t)
  if (stack !== undefined) {
    stack.push(step)
    return
  }
  const steps = [step]
  stacks.set(t, steps)
  t.after(async () => {
    const failures: unknown[] = []
    // The runner keeps every test until its process ends: with the steps, it would keep all services, too.
    for (const last of steps.splice(0).toReversed()) {
      try {
        await last()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  })
}

/** A folder that is removed after the test. */
export async function aFolder(t: TestContext, parent = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(parent, 'stowage-test-'))
  cleanUp(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Where Linux keeps files in memory. */
const MEMORY = '/dev/shm'
/** Tests that run at the same time store less than this. */
const LEAST_FREE_BYTES = 4 * 2 ** 30

/**
 * Like `aFolder`, but in memory if possible. For tests with many small changes, which would otherwise mostly
 * wait for the disk. The files survive if a process is killed, but not a restart of the machine.
 */
export async function aFolderInMemory(t: TestContext): Promise<string> {
  const free = await statfs(MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  )
  return aFolder(t, free >= LEAST_FREE_BYTES ? MEMORY : tmpdir())
}

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
