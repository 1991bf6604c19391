import type { Stats } from 'node:fs'
import { glob, readdir, realpath, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { folderPath } from '@stowage/client/internal/files'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'
import { assetNameOf } from './asset-name.ts'

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

export interface CollectedFiles {
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
    return code === 'ENOENT'
      ? `${sanitize(path)} does not exist`
      : `${sanitize(path)} cannot be read: ${code}`
  }
}
