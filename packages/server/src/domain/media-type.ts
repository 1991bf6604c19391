import { UNKNOWN_MEDIA_TYPE } from './asset.ts'

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
/** The first set excludes the quote and the backslash, so that each text matches in only one way. */
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
