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
 * Copies standard input, which can be read only once, to a temporary file. The file is kept until it is uploaded,
 * so that an interrupted upload can be resumed.
 */
export async function spoolStdin(name: string, signal: AbortSignal): Promise<LocalFile> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX))
  const path = join(folder, 'stdin')
  const progress = showProgress()
  let size = 0
  if (process.stdin.isTTY) writeMessage('Reading from the terminal. Press Ctrl-D to end.')
  try {
    process.stdin.on('data', (chunk: Buffer) => {
      size += chunk.length
      progress.show(`Reading standard input: ${formatSize(size)}`)
    })
    await pipeline(process.stdin, createWriteStream(path, { mode: 0o600 }), { signal })
    // The program that writes to the pipe may have failed.
    if (size === 0) writeMessage('Note: Standard input is empty.')
    const { mtimeMs } = await stat(path)
    return { path, label: '-', name, size, changedMs: mtimeMs }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    if (!isSystemError(error)) throw error
    throw new CommandFailed(
      `Standard input cannot be copied to ${folder}: ${error.message}. Set TMPDIR to use another folder.`,
    )
  } finally {
    progress.clear()
  }
}

/** Whether the path is a copy of standard input. */
export function isSpooled(path: string): boolean {
  const folder = dirname(resolve(path))
  const isOurs = basename(folder).startsWith(PREFIX) && dirname(folder) === resolve(tmpdir())
  return isOurs && basename(path) === 'stdin'
}

/** Removes the copy of standard input, even if a later command uploaded it. Ignores other paths. */
export async function removeSpooled(path: string): Promise<void> {
  if (isSpooled(path)) await rm(dirname(resolve(path)), { recursive: true, force: true })
}
