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

const PATTERN_TOKEN = "[!#$%&'+.^_`|~0-9A-Za-z-]+"
const MEDIA_TYPE_PATTERN = new RegExp(`^${PATTERN_TOKEN}/(?:\\*|${PATTERN_TOKEN})$`)

/** Whether the text is a media type without parameters, or all media types of a kind, such as `image/*`. */
export function isMediaTypePattern(text: string): boolean {
  return MEDIA_TYPE_PATTERN.test(text)
}

/** Whether a media type matches one of the patterns. Its parameters are ignored, and so is the case. */
export function matchesMediaType(patterns: string[], mime: string): boolean {
  const type = mime.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return patterns.some((pattern) => {
    const expected = pattern.toLowerCase()
    return expected.endsWith('/*') ? type.startsWith(expected.slice(0, -1)) : type === expected
  })
}
