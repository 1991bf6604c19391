const ENCODINGS: [encoding: string, mark: number[]][] = [
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** Undefined if the bytes are not text. A character that is incomplete at the end is omitted. */
export function decodeText(bytes: Uint8Array): string | undefined {
  const marked = ENCODINGS.find(([, mark]) => mark.every((byte, index) => bytes[index] === byte))
  if (marked !== undefined) return new TextDecoder(marked[0]).decode(bytes, { stream: true })
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    // Old text files have one byte per character.
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
