import { resolve } from 'node:path'

export interface UploadCommand {
  inputs: string[]
  attach: string[]
  name: string | undefined
  url: string | undefined
  hasKey: boolean
}

const MOST_INPUTS = 20

/**
 * The command that goes on with an upload, from any folder, to be copied into a shell; undefined
 * when it would be too long to be of use. It never has a key in it.
 */
export function resumeCommand(
  { inputs, attach, name, url, hasKey }: UploadCommand,
  { folder, program }: { folder: string; program: string },
): string | undefined {
  if (inputs.length > MOST_INPUTS) return undefined
  const words = [
    'upload',
    ...inputs.map((input) => resolve(folder, input)),
    ...attach.flatMap((product) => ['--attach', product]),
    ...(name === undefined ? [] : ['--name', name]),
    ...(url === undefined ? [] : ['--url', url]),
  ]
  const key = hasKey ? ' --key …' : ''
  return `${program} ${words.map((word) => quoted(word)).join(' ')}${key}`
}

/** As a POSIX shell reads it back, or those of Windows, where no name has quotes in it. */
export function quoted(word: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return /^[\w@+=:,.\\/-]+$/.test(word) ? word : `"${word}"`
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // biome-ignore lint/suspicious/noControlCharactersInRegex: shown as they are, they would be obeyed
  if (/[\u0000-\u001f\u007f-\u009f]/.test(word)) {
    return `$'${word.replace(/[^ -~\u00a0-\u{10ffff}]|['\\]/gu, escaped)}'`
  }
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function escaped(letter: string): string {
  const code = letter.codePointAt(0) ?? 0
  return code > 0x20 && code < 0x7f ? `\\${letter}` : `\\u${code.toString(16).padStart(4, '0')}`
}
