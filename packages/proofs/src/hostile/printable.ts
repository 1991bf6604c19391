const MAX_LENGTH = 1_500

/** The bytes as printable text. Other bytes are shown as `\xff`, and long repetitions by their length. */
export function printable(bytes: Buffer): string {
  const text = bytes
    .toString('latin1')
    .replaceAll(/(..?)\1{50,}/gs, (run, unit: string) => `${unit}…(${run.length} bytes)`)
    .replaceAll(
      /[^\x20-\x7e\n…]/g,
      (character) => `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
    )
  const missing = text.length - MAX_LENGTH
  return missing > 0 ? `${text.slice(0, MAX_LENGTH)}\n… and ${missing} more characters` : text
}
