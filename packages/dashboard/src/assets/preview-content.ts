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

/** The header is within this many bytes: readers accept other bytes before it. */
const HEADER_WITHIN = 1024

/** False if no viewer could open it: the header or the reference to its pages is missing. */
export function isPdf(bytes: Uint8Array): boolean {
  const decoder = new TextDecoder('latin1')
  const hasHeader = decoder.decode(bytes.subarray(0, HEADER_WITHIN)).includes('%PDF-')
  return hasHeader && decoder.decode(bytes).includes('/Root')
}

/** Matches the name `JavaScript`, which every action that runs a script has. Any letter may be escaped, as in `#4a`. */
const SCRIPT = new RegExp(
  [...'JavaScript'].map((letter) => `(?:${letter}|#${letter.charCodeAt(0).toString(16)})`).join(''),
  'i',
)
const STREAM = /stream\r?\n/g
/** Longer than the escaped name, which may be split between two chunks. */
const OVERLAP = 40

/**
 * Whether a PDF contains scripts, or may hide them by encryption. In Chromium's viewer, scripts can open
 * dialogs. A sandbox cannot prevent this, because Chromium shows no PDF in a sandboxed frame. Also searches
 * compressed streams, which may contain objects.
 */
export async function hasScripts(pdf: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const text = new TextDecoder('latin1').decode(pdf)
  if (SCRIPT.test(text) || text.includes('/Encrypt')) return true
  for (const { index, 0: keyword } of text.matchAll(STREAM)) {
    const start = index + keyword.length
    // In zlib's format, the low half of the first byte is 8.
    if (((pdf[start] ?? 0) & 0x0f) !== 8) continue
    const end = text.indexOf('endstream', start)
    // Excludes the line break before `endstream`: some decompressors reject trailing bytes.
    const content = text.slice(start, end < 0 ? undefined : end).replace(/\r?\n$/, '')
    if (await inflatesToScript(pdf.subarray(start, start + content.length))) return true
  }
  return false
}

async function inflatesToScript(compressed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const decoder = new TextDecoder('latin1')
  const inflated = new Blob([compressed]).stream().pipeThrough(new DecompressionStream('deflate'))
  const reader = inflated.getReader()
  let tail = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return false
      const text = tail + decoder.decode(value)
      if (SCRIPT.test(text)) {
        await reader.cancel()
        return true
      }
      tail = text.slice(-OVERLAP)
    }
  } catch {
    // Not a compressed stream, or bytes follow its end.
    return false
  }
}
