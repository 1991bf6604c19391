import { basename, resolve } from 'node:path'

// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const REFUSED = /[\u0000-\u001f\u007f-\u009f\\/]/g

/** The name of the file, with `_` in place of characters that the service refuses. */
export function assetNameOf(path: string): string {
  return basename(resolve(path)).toWellFormed().replace(REFUSED, '_')
}
