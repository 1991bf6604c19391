/** Control characters, lone surrogates and the separator of Windows. */
const REFUSED = /[\p{Cc}\p{Cs}\\]/gu

/** The longest path and the longest folder name that the service accepts. */
const MAX_PATH = 512
const MAX_FOLDER = 255

/**
 * The folder of a file as the service accepts it, from a relative path such as `webkitRelativePath`: with
 * `_` in place of refused characters. Undefined if the file is in no folder, or its path is too long.
 */
export function folderPath(relativePath: string): string | undefined {
  const folders = relativePath
    .replace(REFUSED, '_')
    .normalize('NFC')
    .split('/')
    .slice(0, -1)
    .filter((folder) => folder && folder !== '.' && folder !== '..')
    .map((folder) => (/[^\s\p{Cf}]/u.test(folder) ? folder : '_'))
  const path = folders.join('/')
  const isTooLong =
    [...path].length > MAX_PATH || folders.some((folder) => [...folder].length > MAX_FOLDER)
  return !path || isTooLong ? undefined : path
}
