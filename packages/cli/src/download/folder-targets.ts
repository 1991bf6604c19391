import { parse } from 'node:path'
import type { Asset } from '@stowage/client'
import { safeName } from './safe-name.ts'

/**
 * Returns a function that gives each asset its own path below a folder, as segments: the folders of the
 * asset's path and its name, all sanitized. Assets must be passed in the order in which the service sorts names, because
 * only the paths of the current name are remembered. If an earlier asset has the same path, or if the name had to
 * be changed, the ID is added to the name. So no two assets share a file, and every run chooses the same files.
 */
export function createFolderTargets(): (asset: Asset) => string[] {
  let name = ''
  let used = new Set<string>()

  return ({ id, filename, path }) => {
    const sorted = sortName(filename)
    if (sorted !== name) {
      name = sorted
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

/** Equal for names that the service sorts as equal: `track 1` and `track 01`. */
function sortName(filename: string): string {
  return fold(filename).replaceAll(/(?<![0-9])0+(?=[0-9])/g, '')
}

/** Folds names as the service does when it sorts them. On some systems, names that differ only in case are one file. */
function fold(text: string): string {
  const folded = text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase()
  return folded.replaceAll('ς', 'σ').normalize('NFKC')
}
