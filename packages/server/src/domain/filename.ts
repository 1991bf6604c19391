import { CONTROL_CHARACTERS } from './is-printable.ts'

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
