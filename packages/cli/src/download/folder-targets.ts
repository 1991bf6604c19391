import { parse } from 'node:path'
import type { Asset } from '@stowage/client'
import { safeName } from './safe-name.ts'

/**
 * Returns a function that turns assets into different paths below a folder, as segments: the folders of
 * the asset's path and its name, all of them made safe. Assets must come sorted by name, so that only those
 * of the same name have to be remembered. If an earlier asset has the same path, or the name had to be
 * changed, the ID is added to it: no two assets share a file, and another run chooses the same files.
 */
export function createFolderTargets(): (asset: Asset) => string[] {
  let name = ''
  let used = new Set<string>()

  return ({ id, filename, path }) => {
    const folded = fold(filename)
    if (folded !== name) {
      name = folded
      used = new Set()
    }
    const folders = (path ?? '').split('/').filter(Boolean).map(safeName)
    const safe = safeName(filename)
    const key = fold([...folders, safe].join('/'))
    const isFree = safe === filename && !used.has(key)
    used.add(key)
    return [...folders, isFree ? safe : withId(safe, id)]
  }
}

function withId(filename: string, id: string): string {
  const { name, ext } = parse(filename)
  return safeName(`${shortened(name, ext, id)} (${id})${ext}`)
}

/** Leaves room for the ID, which must not be cut off. */
function shortened(name: string, ext: string, id: string): string {
  const characters = [...name]
  while (Buffer.byteLength(`${characters.join('')} (${id})${ext}`) > 255 && characters.length > 1) {
    characters.pop()
  }
  return characters.join('')
}

/** Like the service's order of names: names that differ only in case are one file on some systems. */
function fold(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').normalize('NFKC')
}
