// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/

/** Whether the text has no control characters and no lone surrogates. Names may contain neither. */
export function isPrintable(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTERS.test(text)
}
