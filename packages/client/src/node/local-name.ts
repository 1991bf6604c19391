import { basename } from 'node:path'

/** Windows does not allow these in names; `a:b` would be an alternate data stream (NTFS) of the file `a`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: it must match control characters
const REFUSED_BY_WINDOWS = /[\u0000-\u001f<>:"|?*]/g
const RESERVED_BY_WINDOWS = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i

/** Turns the file name of an asset into a file name on this system, without any folder. */
export function localName(filename: string, platform: NodeJS.Platform = process.platform): string {
  const name = basename(filename.replaceAll('\\', '_'))
  if (/^\.{0,2}$/.test(name)) return '_'
  if (platform !== 'win32') return name
  const clean = name.replace(REFUSED_BY_WINDOWS, '_').replace(/[. ]+$/, '_')
  return RESERVED_BY_WINDOWS.test(clean) ? `_${clean}` : clean
}
