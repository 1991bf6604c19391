import type { Stats } from 'node:fs'
import { glob, readdir, realpath, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { sanitize } from '../text/sanitize.ts'
import { CommandFailed } from '../usage.ts'
import { assetNameOf } from './asset-name.ts'

export interface LocalFile {
  path: string
  /** As it was given or found, for people; `-` is standard input. */
  label: string
  /** What the asset will be called. */
  name: string
  size: number
  /** When it was last changed: with the size, what it is known by. */
  changedMs: number
}

export interface CollectedFiles {
  files: LocalFile[]
  /** What was found in folders and left out. */
  skipped: string[]
}

/** Hidden files, and what file managers leave behind. */
const CLUTTER = /^(\..*|Thumbs\.db|desktop\.ini|__MACOSX)$/i
const PATTERN = /[*?[\]{}]/

/**
 * Files, folders (whole, without hidden files) and patterns, each file once, in their order. Throws
 * `CommandFailed` with everything that is not there or can't be sent.
 */
export async function collectFiles(inputs: string[]): Promise<CollectedFiles> {
  const found = new Map<string, LocalFile>()
  const skipped: string[] = []
  const problems: string[] = []
  const visited = new Set<string>()

  function add(path: string, { size, mtimeMs }: Stats): void {
    const key = resolve(path)
    const file = { path, label: path, name: assetNameOf(path), size, changedMs: mtimeMs }
    if (!found.has(key)) found.set(key, file)
  }

  async function walk(folder: string): Promise<void> {
    // A link may lead back to where we come from.
    const real = await realpath(folder)
    if (visited.has(real)) return
    visited.add(real)
    const names = (await readdir(folder)).toSorted()
    for (const name of names) {
      const path = join(folder, name)
      if (CLUTTER.test(name)) skipped.push(path)
      else await take(path, await look(path))
    }
  }

  async function take(path: string, stats: Stats | string): Promise<void> {
    if (typeof stats === 'string') problems.push(stats)
    else if (stats.isDirectory()) await walk(path).catch(refuse(path))
    else if (stats.isFile()) add(path, stats)
    else
      problems.push(
        `${sanitize(path)} is neither a file nor a folder (a pipe goes to: stowage upload -)`,
      )
  }

  const refuse = (path: string) => (error: NodeJS.ErrnoException) => {
    problems.push(`${sanitize(path)} can’t be read: ${error.code ?? error.message}`)
  }

  for (const input of inputs) {
    const stats = await look(input)
    if (typeof stats !== 'string' || !PATTERN.test(input)) {
      await take(input, stats)
      continue
    }
    const matches = (await Array.fromAsync(glob(input))).toSorted()
    if (matches.length === 0) problems.push(`nothing matches ${sanitize(input)}`)
    for (const match of matches) await take(match, await look(match))
  }
  if (problems.length > 0) throw new CommandFailed(`nothing was sent: ${problems.join('; ')}`)
  return { files: [...found.values()], skipped }
}

/** What it is, or why nobody knows. */
async function look(path: string): Promise<Stats | string> {
  try {
    return await stat(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (path.includes('\ufffd'))
      return `the name of ${sanitize(path)} is not valid UTF-8: rename it`
    return code === 'ENOENT'
      ? `${sanitize(path)} is not there`
      : `${sanitize(path)} can’t be read: ${code}`
  }
}
