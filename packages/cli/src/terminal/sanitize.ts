/** C0, DEL and C1, which control a terminal, and characters that reorder or break lines. */
const DANGEROUS =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu

const UNKNOWN = '\ufffd'
const CONTROL_PICTURES = 0x2400
const PICTURE_OF_DELETE = '\u2421'

/**
 * Makes untrusted text safe to show on a terminal: without escape sequences, cursor movements and changes
 * of direction. Replaced characters stay visible: `ESC` becomes `␛`.
 */
export function sanitize(text: string): string {
  return text.toWellFormed().replace(DANGEROUS, (found) => {
    const code = found.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code)
    return code === 0x7f ? PICTURE_OF_DELETE : UNKNOWN
  })
}

/** Makes JSON safe to show on a terminal: the same characters become `\u` escapes, except line breaks. */
export function escapeControlCharacters(json: string): string {
  return json.replace(DANGEROUS, (found) => {
    if (found === '\n') return found
    const units = Array.from({ length: found.length }, (_, at) => found.charCodeAt(at))
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u
const FIRST_STRONG_ISOLATE = '\u2068'
const POP_ISOLATE = '\u2069'

/** Keeps right-to-left text from reordering the text beside it. Adds no width. */
export function isolateRightToLeft(text: string): string {
  return RIGHT_TO_LEFT.test(text) ? `${FIRST_STRONG_ISOLATE}${text}${POP_ISOLATE}` : text
}
