import { Buffer } from 'node:buffer'

/** What file systems or shells stumble over, and what hides in a name or turns it around. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
  /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069\ufeff]/g
const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
/** In bytes, on every file system of today. */
const LONGEST = 255

/**
 * An asset's name as a file's: in this folder and no other, not hidden, never an option, no longer
 * than file systems take. What is changed becomes `_`.
 */
export function safeName(filename: string): string {
  const clean = filename
    .toWellFormed()
    .replace(UNSAFE, '_')
    .replace(/^[.\-~ ]/, '_')
    .replace(/[. ]+$/, '_')
  const named = RESERVED_ON_WINDOWS.test(clean) ? `_${clean}` : clean || '_'
  return shortened(named)
}

/** The ending stays. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= LONGEST) return name
  const ending = /\.[^.]{1,16}$/.exec(name)?.[0] ?? ''
  const letters = [...name.slice(0, name.length - ending.length)]
  const room = LONGEST - Buffer.byteLength(ending)
  while (Buffer.byteLength(letters.join('')) > room) letters.pop()
  return letters.join('') + ending
}
