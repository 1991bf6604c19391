// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
export const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/

/** Whether a name can contain this text, so that it makes sense to search for it. */
export function isSearchable(text: string): boolean {
  return text.isWellFormed() && !CONTROL_CHARACTERS.test(text)
}
