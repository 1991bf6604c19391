import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { formatSize } from '@stowage/protocol/format'
import { writeMessage } from '../output.ts'
import { showProgress } from '../terminal/show-progress.ts'
import { CommandFailed, isSystemError } from '../usage.ts'
import type { LocalFile } from './collect-files.ts'

const PREFIX = 'stowage-stdin-'

/**
 * Keeps standard input in a temporary file: a service must know the size before the first byte. The
 * file stays until it has arrived, so that an upload that breaks off can be gone on with.
 */
export async function spoolStdin(name: string, signal: AbortSignal): Promise<LocalFile> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  const path = join(folder, 'stdin')
  const progress = showProgress()
  let size = 0
  if (process.stdin.isTTY) writeMessage('Type, and end with Ctrl-D.')
  try {
    process.stdin.on('data', (chunk: Buffer) => {
      size += chunk.length
      progress.show(`standard input: ${formatSize(size)} so far`)
    })
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal })
    // Whatever was to write into the pipe may have failed.
    if (size === 0) writeMessage('Note: standard input was empty.')
    const { mtimeMs } = await stat(path)
    return { path, label: '-', name, size, changedMs: mtimeMs }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (!isSystemError(error)) throw error
    throw new CommandFailed(
      `standard input can’t be kept in ${folder}: ${error.message}. TMPDIR names another place`,
    )
  } finally {
    progress.clear()
  }
}

/** Removes what standard input was kept in, also when a later command has sent it. */
export async function removeSpooled(path: string): Promise<void> {
  const folder = dirname(resolve(path))
  const isOurs = basename(folder).startsWith(PREFIX) && dirname(folder) === resolve(tmpdir())
  if (isOurs && basename(path) === 'stdin') await rm(folder, { recursive: true, force: true })
}
