import { foldText } from './search.ts'

const MAX_NAME_LENGTH = 255
const VISIBLE = /[^\s\p{Cf}]/u

/** What is wrong with a file name, as a clause for the error message; undefined if it is valid. */
export function problemWithFilename(name: string): string | undefined {
  if (!VISIBLE.test(name)) return 'must not be empty'
  if ([...name].length > MAX_NAME_LENGTH) return `must have at most ${MAX_NAME_LENGTH} characters`
  if (!name.isWellFormed()) return 'must be valid Unicode, without lone surrogates'
  if (CONTROL_CHARACTERS.test(name)) return 'must not have control characters'
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    return 'must be a name without folders'
  }
  return undefined
}

/** Short enough, in any script, for an index entry of PostgreSQL, which has at most 2,704 bytes. */
export const MAX_PATH_LENGTH = 512
const MAX_SEGMENT_LENGTH = 255

/** What is wrong with a path, as a clause for the error message; undefined if it is valid. */
export function problemWithPath(path: string): string | undefined {
  if (path === '') return undefined
  if (!path.isWellFormed()) return 'must be valid Unicode, without lone surrogates'
  if (CONTROL_CHARACTERS.test(path)) return 'must not have control characters'
  if (path.includes('\\')) return 'must separate folders with /, not with \\'
  // Normalizing can make a text longer.
  const normal = path.normalize('NFC')
  if ([...normal].length > MAX_PATH_LENGTH) {
    return `must have at most ${MAX_PATH_LENGTH} characters`
  }
  for (const segment of normal.split('/')) {
    if (!VISIBLE.test(segment)) {
      return 'must be a relative path without empty folders, such as course/week 1'
    }
    if (segment === '.' || segment === '..') return 'must not contain the folders . or ..'
    if ([...segment].length > MAX_SEGMENT_LENGTH) {
      return `must have at most ${MAX_SEGMENT_LENGTH} characters in each folder`
    }
  }
  return undefined
}

/**
 * A valid path as it is stored, or null for none. Normalized, because macOS and other systems write the
 * same accented letters differently: a folder that is uploaded from both must be one folder.
 */
export function normalizePath(path: string | null | undefined): string | null {
  return path ? path.normalize('NFC') : null
}

/**
 * The folder that a path filter selects, as the databases store it: with a slash at its end, so that the
 * folder and everything below it are one range of texts. Undefined if the filter selects everything.
 */
export function folderOfFilter(filter: string): string | undefined {
  const path = normalizePath(filter.replace(/\/$/, ''))
  return path === null ? undefined : storedFolder(path)
}

export function problemWithPathFilter(filter: string): string | undefined {
  return problemWithPath(filter.replace(/\/$/, ''))
}

export function storedFolder(path: string): string
export function storedFolder(path: string | null): string | null
export function storedFolder(path: string | null): string | null {
  return path === null ? null : `${path}/`
}

export function pathOfStored(folder: string | null): string | null {
  return folder === null ? null : folder.slice(0, -1)
}

/** The path as `search` compares it. */
export function searchPath(path: string | null): string | null {
  return path === null ? null : foldText(path)
}

/**
 * The texts from `from` (included) to `until` (excluded) are the folder and everything below it; with `isDirect` only the
 * folder itself.
 */
export function folderRange(
  folder: string,
  { isDirect = false }: { isDirect?: boolean | undefined } = {},
): { from: string; until: string } {
  // A name has no lower character than the space.
  if (isDirect) return { from: folder, until: `${folder} ` }
  // `0` is the character after `/`.
  return { from: folder, until: `${folder.slice(0, -1)}0` }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/

/** Whether the text has no control characters and no lone surrogates. Names may contain neither. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTERS.test(text)
}
