import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

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
