import { basename, resolve } from 'node:path'

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it finds
const REFUSED = /[\u0000-\u001f\u007f-\u009f\\/]/g

/** The file's own name, with `_` for what no asset may be called. */
export function assetNameOf(path: string): string {
  return basename(resolve(path)).toWellFormed().replace(REFUSED, '_')
}
