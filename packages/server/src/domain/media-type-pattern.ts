const TOKEN = "[!#$%&'+.^_`|~0-9A-Za-z-]+"
const PATTERN = new RegExp(`^${TOKEN}/(?:\\*|${TOKEN})$`)

/** Whether the text is a media type without parameters, or all media types of a kind, such as `image/*`. */
export function isMediaTypePattern(text: string): boolean {
  return PATTERN.test(text)
}

/** Whether a media type matches one of the patterns. Its parameters are ignored, and so is the case. */
export function matchesMediaType(patterns: string[], mime: string): boolean {
  const type = mime.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return patterns.some((pattern) => {
    const expected = pattern.toLowerCase()
    return expected.endsWith('/*') ? type.startsWith(expected.slice(0, -1)) : type === expected
  })
}
