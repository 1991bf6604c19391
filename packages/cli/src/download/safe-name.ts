import { Buffer } from 'node:buffer'

/** Characters that some file systems reject, and invisible ones that hide or reorder text. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
  /[\u0000-\u001f\u007f-\u009f/\\:*?"<>|\u200e\u200f\u061c\u2028-\u202e\u2066-\u2069\ufeff]/g
const RESERVED_ON_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i
/** The maximum length of a name on common file systems, in bytes. */
const MAX_BYTES = 255

/**
 * Turns the name of an asset into a file name that stays in its folder, is not hidden, does not look like
 * an option and is not too long. Unsafe characters become `_`.
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

/** Keeps the extension. */
function shortened(name: string): string {
  if (Buffer.byteLength(name) <= MAX_BYTES) return name
  const extension = /\.[^.]{1,16}$/.exec(name)?.[0] ?? ''
  const characters = [...name.slice(0, name.length - extension.length)]
  const room = MAX_BYTES - Buffer.byteLength(extension)
  while (Buffer.byteLength(characters.join('')) > room) characters.pop()
  return characters.join('') + extension
}
