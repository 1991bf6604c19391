/** Gives each file of an archive a path that is unique and that every system can create. */
export type NameArchiveFile = (folder: string | null, filename: string) => string

/** A path has to be unique even for systems that ignore the case, such as Windows and macOS. */
export function createArchiveNames(): NameArchiveFile {
  const files = new Set<string>()
  const folders = new Set<string>()
  const folderNames = new Map<string, string>()
  /** The next number to try for a name that is taken. */
  const counts = new Map<string, number>()

  /** The folder with a slash at its end. */
  function nameFolder(path: string | null): string {
    if (!path) return ''
    const known = folderNames.get(path)
    if (known !== undefined) return known
    const at = path.lastIndexOf('/')
    const parent = nameFolder(at < 0 ? null : path.slice(0, at))
    const wanted = safeName(path.slice(at + 1))
    const name = firstFree(parent, [wanted, ''], (text) => files.has(keyOf(parent + text)))
    folders.add(keyOf(parent + name))
    folderNames.set(path, `${parent}${name}/`)
    return `${parent}${name}/`
  }

  return (folder, filename) => {
    const parent = nameFolder(folder)
    const name = safeName(filename)
    const dot = name.lastIndexOf('.')
    const hasExtension = dot > 0 && name.length - dot <= MAX_EXTENSION
    const stem = hasExtension ? name.slice(0, dot) : name
    const extension = name.slice(stem.length)
    const unique = firstFree(parent, [stem, extension], (text) => {
      const key = keyOf(parent + text)
      return files.has(key) || folders.has(key)
    })
    files.add(keyOf(parent + unique))
    return parent + unique
  }

  /** The first of `a.txt`, `a (2).txt`, `a (3).txt`, … that is not taken. */
  function firstFree(
    parent: string,
    [stem, extension]: [string, string],
    isTaken: (name: string) => boolean,
  ): string {
    const plain = shortened(stem, extension)
    if (!isTaken(plain)) return plain
    const key = keyOf(parent + plain)
    for (let number = counts.get(key) ?? 2; ; number += 1) {
      const name = shortened(stem, ` (${number})${extension}`)
      if (isTaken(name)) continue
      // Thousands of files with the same name would otherwise be compared with each other.
      counts.set(key, number + 1)
      return name
    }
  }
}

function keyOf(path: string): string {
  return path.normalize('NFC').toLowerCase().toUpperCase()
}

/** Windows does not allow these characters. */
const FORBIDDEN = /["*/:<>?\\|\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu
/** Names of devices on Windows, with any extension. */
const DEVICES = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(?=\s*(\.|$))/i

function safeName(name: string): string {
  const allowed = name.toWellFormed().replaceAll(FORBIDDEN, '_')
  // Windows removes dots and spaces at the end. So `..` becomes harmless, too.
  const ended = allowed.replace(/[. ]+$/, (end) => '_'.repeat(end.length))
  return DEVICES.test(ended) ? `_${ended}` : ended || '_'
}

/** File systems store names of up to 255 bytes. */
const MAX_NAME_BYTES = 255

/** Anything longer is a part of the name that has a dot. */
const MAX_EXTENSION = 20

/** Removes characters from the end of the stem if the name is too long. */
function shortened(stem: string, end: string): string {
  let kept = stem
  while (kept.length > 1 && Buffer.byteLength(kept + end) > MAX_NAME_BYTES) {
    kept = [...kept].slice(0, -1).join('')
  }
  return kept + end
}
