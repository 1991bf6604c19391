const MOST_LETTERS = 1_500

/** The bytes as text that a terminal shows as it is; other bytes as `\xff`, long runs by their length. */
export function printable(bytes: Buffer): string {
  const text = bytes
    .toString('latin1')
    .replaceAll(/(..?)\1{50,}/gs, (run, unit: string) => `${unit}…(${run.length} bytes)`)
    .replaceAll(
      /[^\x20-\x7e\n…]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
  const missing = text.length - MOST_LETTERS
  return missing > 0 ? `${text.slice(0, MOST_LETTERS)}\n… and ${missing} more` : text
}
