import { createWriteStream, type Stats } from 'node:fs'
import { glob, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { folderPath } from '@stowage/client/internal/files'
import { formatSize } from '@stowage/protocol/format'
import { writeMessage } from '../output.ts'
import { showProgress } from '../terminal/live-lines.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { CommandFailed, isSystemError } from '../usage.ts'

export interface LocalFile {
  path: string
  /** The path as it was given or found, for output; `-` is standard input. */
  label: string
  /** The name of the asset. */
  name: string
  /** The path of the asset: the folder that the file was found in. Undefined for none. */
  folder?: string | undefined
  size: number
  /** The time of the last change. Together with the size, it shows whether the file has changed. */
  changedMs: number
}

interface CollectedFiles {
  files: LocalFile[]
  /** Hidden files that were found in folders. */
  skipped: string[]
}

/** Hidden files, and those that file managers create. */
const HIDDEN = /^(\..*|Thumbs\.db|desktop\.ini|__MACOSX)$/i
const PATTERN = /[*?[\]{}]/

/**
 * Finds the files of all inputs: files, folders (recursively, without hidden files) and patterns. Each
 * file is returned once, in the order of the inputs. A file in a folder gets the path of its folder, starting
 * with the name of the input, or with `under` if that is given. A file that matches a pattern gets the folders
 * that the pattern matched. Throws one `CommandFailed` that lists every problem.
 */
export async function collectFiles(
  inputs: string[],
  { signal, under }: { signal?: AbortSignal | undefined; under?: string | undefined } = {},
): Promise<CollectedFiles> {
  const found = new Map<string, LocalFile>()
  const skipped: string[] = []
  const problems: string[] = []
  const visited = new Set<string>()

  /** `base` is the folder that the path of the asset starts in. */
  function add(path: string, { size, mtimeMs }: Stats, base: string): void {
    const key = resolve(path)
    const below = relative(base, key).replaceAll(sep, '/')
    const folder = folderPath(under === undefined ? below : `${under}/${below}`)
    const name = assetNameOf(path)
    const file = { path, label: path, name, folder, size, changedMs: mtimeMs }
    if (!found.has(key)) found.set(key, file)
  }

  async function addFolder(folder: string, base: string): Promise<void> {
    signal?.throwIfAborted()
    // A symlink may point to a parent folder.
    const real = await realpath(folder)
    if (visited.has(real)) return
    visited.add(real)
    const names = (await readdir(folder)).toSorted()
    for (const name of names) {
      const path = join(folder, name)
      if (HIDDEN.test(name)) skipped.push(path)
      else await addPath(path, await inspect(path), base)
    }
  }

  async function addPath(path: string, stats: Stats | string, base: string): Promise<void> {
    if (typeof stats === 'string') problems.push(stats)
    else if (stats.isDirectory()) await addFolder(path, base).catch(addProblem(path))
    else if (stats.isFile()) add(path, stats, base)
    else
      problems.push(
        `${sanitize(path)} is neither a file nor a folder (to upload from a pipe: stowage upload -)`,
      )
  }

  const addProblem = (path: string) => (error: NodeJS.ErrnoException) => {
    signal?.throwIfAborted()
    problems.push(`${sanitize(path)} cannot be read: ${error.code ?? error.message}`)
  }

  for (const input of inputs) {
    const stats = await inspect(input)
    if (typeof stats !== 'string' || !PATTERN.test(input)) {
      const isFolder = typeof stats !== 'string' && stats.isDirectory()
      const keepsName = !isFolder || under === undefined
      await addPath(input, stats, keepsName ? dirname(resolve(input)) : resolve(input))
      continue
    }
    const matches = (await Array.fromAsync(glob(input))).toSorted()
    if (matches.length === 0) problems.push(`no file matches ${sanitize(input)}`)
    const base = resolve(fixedPartOf(input))
    for (const match of matches) await addPath(match, await inspect(match), base)
  }
  if (problems.length > 0) throw new CommandFailed(`Nothing was sent: ${problems.join('; ')}.`)
  return { files: [...found.values()], skipped }
}

/** The folders of a pattern before its first wildcard. */
function fixedPartOf(pattern: string): string {
  const fixed = pattern.slice(0, pattern.search(PATTERN))
  return fixed.slice(0, Math.max(fixed.lastIndexOf('/'), fixed.lastIndexOf(sep)) + 1)
}

/** Returns a problem as text if the path cannot be inspected. */
async function inspect(path: string): Promise<Stats | string> {
  try {
    return await stat(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (path.includes('\ufffd')) {
      return `the name of ${sanitize(path)} is not valid UTF-8 (rename the file)`
    }
    if (/^https?:\/\//i.test(path)) {
      return `${sanitize(path)} is a URL (send its content: curl -fL URL | stowage upload - --name NAME)`
    }
    return code === 'ENOENT'
      ? `${sanitize(path)} does not exist`
      : `${sanitize(path)} cannot be read: ${code}`
  }
}

const SPOOL_PREFIX = 'stowage-stdin-'

/**
 * Copies standard input, which can be read only once, to a temporary file. The file is kept until it is uploaded,
 * so that an interrupted upload can be resumed.
 */
export async function spoolStdin(name: string, signal: AbortSignal): Promise<LocalFile> {
  const folder = await mkdtemp(join(tmpdir(), SPOOL_PREFIX))
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
  const isOurs = basename(folder).startsWith(SPOOL_PREFIX) && dirname(folder) === resolve(tmpdir())
  return isOurs && basename(path) === 'stdin'
}

/** Removes the copy of standard input, even if a later command uploaded it. Ignores other paths. */
export async function removeSpooled(path: string): Promise<void> {
  if (isSpooled(path)) await rm(dirname(resolve(path)), { recursive: true, force: true })
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const REFUSED_CHARACTERS = /[\u0000-\u001f\u007f-\u009f\\/]/g

/** The name of the file, with `_` in place of characters that the service refuses. */
function assetNameOf(path: string): string {
  return basename(resolve(path)).toWellFormed().replace(REFUSED_CHARACTERS, '_')
}
