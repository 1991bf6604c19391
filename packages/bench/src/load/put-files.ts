import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const PART = 100_000_000
export const GIBIBYTE = 2 ** 30

/** The same body for all parts: its content makes no difference to any contender. */
export const BODY = randomBytes(PART)

/** The lengths of the parts of 1 GiB. */
export const LENGTHS = Array.from({ length: Math.ceil(GIBIBYTE / PART) }, (_, index) =>
  Math.min(PART, GIBIBYTE - index * PART),
)

/** Makes the file durable. A part is durable when Stowage responds; a file that nginx received is not. */
export async function syncFile(file: string): Promise<void> {
  const handle = await open(file, 'r+')
  await handle.sync()
  await handle.close()
}

export async function emptyFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true })
  await settleDisk(folder)
}

/** Waits until all data of a run is written, so that it does not affect the next run. */
export async function settleDisk(folder: string): Promise<void> {
  await run('sync', ['-f', folder])
}
