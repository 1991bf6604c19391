import { execFile } from 'node:child_process'
import { cp, glob, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'

export const ROOT = join(import.meta.dirname, '../../..')

/** The fields of a package.json that are used here. */
export interface Manifest {
  name: string
  version: string
  description: string
  license: string
  type: string
  exports: Record<string, string>
  dependencies?: Record<string, string>
  [other: string]: unknown
}

/** Returns the folder of a package: `server` for `@stowage/server`, `cli` for `stowage`. */
export function folderOf(name: string): string {
  const folder = name === 'stowage' ? 'cli' : name.replace('@stowage/', '')
  return join(ROOT, 'packages', folder)
}

export async function readManifest(name: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folderOf(name), 'package.json'), 'utf8'))
}

/** The fields that are copied to the manifest of the package. */
const COPIED = [
  'name',
  'version',
  'description',
  'keywords',
  'homepage',
  'bugs',
  'repository',
  'license',
  'type',
  'engines',
]

/** Writes the manifest of the package: copied fields, and those that `fields` adds or overrides. */
export async function writeManifest(
  staged: string,
  manifest: Manifest,
  fields: object,
): Promise<void> {
  const copied = Object.fromEntries(COPIED.map((field) => [field, manifest[field]]))
  const packed = { ...copied, files: ['dist', 'docs'], ...fields }
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
}

/** Copies the license, the README of the package, and the named pages of docs/. */
export async function stageDocs(staged: string, folder: string, docs: string[]): Promise<void> {
  await cp(join(ROOT, 'LICENSE'), join(staged, 'LICENSE'))
  const pages = new Map([[join(folder, 'README.md'), join(staged, 'README.md')]])
  for (const name of docs) pages.set(join(ROOT, 'docs', name), join(staged, 'docs', name))
  await mkdir(join(staged, 'docs'), { recursive: true })
  for (const [source, target] of pages) {
    const text = await readFile(source, 'utf8')
    await writeFile(target, text.replace(LINK, packedLink(source, target, pages)))
  }
}

/** A link to a file of the repository, with its text and anchor. */
const LINK = /\[([^\]]+)\]\((?![a-z]+:|#)([^)#]*)(#[^)]*)?\)/g

/** Rewrites links to the packed pages. Links to other files become plain text. */
function packedLink(source: string, target: string, pages: Map<string, string>) {
  return (_whole: string, text: string, path: string, anchor = ''): string => {
    const page = pages.get(join(dirname(source), path))
    if (page === undefined) return text
    return `[${text}](${relative(dirname(target), page).replaceAll(sep, '/')}${anchor})`
  }
}

/**
 * Rewrites the source paths in all source maps of the folder to paths in the repository
 * (`packages/client/src/client.ts`). The compiler writes them relative to a temporary folder. The maps
 * contain the sources themselves.
 */
export async function rewriteSourceMaps(folder: string): Promise<void> {
  for await (const name of glob('**/*.map', { cwd: folder })) {
    const file = join(folder, name)
    const map = JSON.parse(await readFile(file, 'utf8')) as { sources: string[] }
    const sources = map.sources.map((source) =>
      relative(ROOT, resolve(dirname(file), source)).replaceAll(sep, '/'),
    )
    await writeFile(file, JSON.stringify({ ...map, sources }))
  }
}

/** On Windows npm is a script, which needs a shell. */
export function runNpm(args: string[], cwd: string): Promise<string> {
  if (process.platform !== 'win32') return run('npm', args, cwd)
  const words = args.map((word) => (word.includes(' ') ? `"${word}"` : word))
  return run('npm', words, cwd, { shell: true })
}

/** Runs the TypeScript compiler of the repository with one checker: several would each check shared types. */
export function runTsc(args: string[], cwd: string): Promise<string> {
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  return run(process.execPath, [compiler, '--checkers', '1', ...args], cwd)
}

/** Runs a program and returns its standard output. If it fails, throws an error with its output. */
export async function run(
  program: string,
  args: string[],
  cwd: string,
  options: { shell?: boolean } = {},
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, {
      cwd,
      maxBuffer: 2 ** 26,
      ...options,
    })
    return stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    const output = `${stdout ?? ''}${stderr ?? ''}`
    throw new Error(`${program} ${args.join(' ')} failed: ${output}`, { cause: error })
  }
}
