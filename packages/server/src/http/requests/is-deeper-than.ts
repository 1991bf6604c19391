const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = new Set([0x5b, 0x7b])
const CLOSING = new Set([0x5d, 0x7d])

/**
 * Whether arrays and objects are nested deeper than `most`. Runs before `JSON.parse`, which takes
 * seconds for millions of levels. The result for text that is not JSON is unspecified.
 */
export function isDeeperThan(most: number, json: Buffer): boolean {
  let depth = 0
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] ?? 0
    if (byte === QUOTE) at = endOfString(json, at)
    else if (OPENING.has(byte)) {
      depth += 1
      if (depth > most) return true
    } else if (CLOSING.has(byte)) depth -= 1
  }
  return false
}

/** The position of the closing quote. */
function endOfString(json: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    const end = json.indexOf(QUOTE, at)
    if (end < 0) return json.length
    let backslashes = 0
    while (json[end - 1 - backslashes] === BACKSLASH) backslashes += 1
    if (backslashes % 2 === 0) return end
    at = end
  }
}
