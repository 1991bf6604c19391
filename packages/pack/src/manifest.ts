import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

/** What we read of a package.json. */
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

/** `@stowage/server` lies in `server`, and `stowage` itself in `cli`. */
export function folderOf(name: string): string {
  const folder = name === 'stowage' ? 'cli' : name.replace('@stowage/', '')
  return join(ROOT, 'packages', folder)
}

export async function readManifest(name: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folderOf(name), 'package.json'), 'utf8'))
}

/** What the manifests of the repository and of the packages have in common. */
const COMMON = [
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

/** The manifest as it is packed: what it has in common with ours, and what is made for the package. */
export async function writeManifest(
  staged: string,
  manifest: Manifest,
  made: object,
): Promise<void> {
  const common = Object.fromEntries(COMMON.map((field) => [field, manifest[field]]))
  const packed = { ...common, files: ['dist', 'docs'], ...made }
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(packed, null, 2)}\n`)
}
