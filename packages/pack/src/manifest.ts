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

/** The manifest as it is packed: what people need to know of it, and what is made anew. */
export async function writeManifest(
  staged: string,
  { name, version, description, license, type }: Manifest,
  made: object,
): Promise<void> {
  const engines = { node: '>=24' }
  const manifest = { name, version, description, license, type, engines, files: ['dist'], ...made }
  await writeFile(join(staged, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}
