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
