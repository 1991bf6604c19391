import { UNKNOWN_MEDIA_TYPE } from './asset.ts'

const LONGEST_NAME = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/

const VISIBLE = /[^\s\p{Cf}]/u

/** What is wrong with a file name, as a clause for the error message; undefined if it is valid. */
export function problemWithFilename(name: string): string | undefined {
  if (!VISIBLE.test(name)) return 'must not be empty'
  if ([...name].length > LONGEST_NAME) return `must have at most ${LONGEST_NAME} characters`
  if (!name.isWellFormed()) return 'must be valid Unicode, without lone surrogates'
  if (CONTROL_CHARACTERS.test(name)) return 'must not have control characters'
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    return 'must be a name without folders'
  }
  return undefined
}

/** Whether a name can contain this text, so that it makes sense to search for it. */
export function isSearchable(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTERS.test(text)
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
/** The characters exclude the quote, so that there is only one way to match it. */
const QUOTED = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"'
/** RFC 9110, 8.3.1. */
const MEDIA_TYPE = new RegExp(
  `^${TOKEN}/${TOKEN}(?:[ \\t]*;[ \\t]*${TOKEN}=(?:${TOKEN}|${QUOTED}))*$`,
)

/** Undefined if malformed. Browsers send an empty media type for types they do not know. */
export function parseMediaType(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return UNKNOWN_MEDIA_TYPE
  return MEDIA_TYPE.test(text) ? text : undefined
}
