import { resolve } from 'node:path'

export interface UploadCommand {
  inputs: string[]
  attach: string[]
  name: string | undefined
  path?: string | undefined
  url: string | undefined
  hasKey: boolean
}

const MAX_INPUTS = 20

/**
 * The command that resumes an upload from any folder, quoted for a shell. Undefined if it would be too
 * long to be useful. It never contains a key.
 */
export function resumeCommand(
  { inputs, attach, name, path, url, hasKey }: UploadCommand,
  { folder, program }: { folder: string; program: string },
): string | undefined {
  if (inputs.length > MAX_INPUTS) return undefined
  const words = [
    'upload',
    ...inputs.map((input) => resolve(folder, input)),
    ...attach.flatMap((product) => ['--attach', product]),
    ...(name === undefined ? [] : ['--name', name]),
    ...(path === undefined ? [] : ['--path', path]),
    ...(url === undefined ? [] : ['--url', url]),
  ]
  const key = hasKey ? ' --key …' : ''
  return `${program} ${words.map((word) => quoted(word)).join(' ')}${key}`
}

/** Quotes a word for bash and zsh, or for the shells of Windows, where a file name cannot contain double quotes. */
export function quoted(word: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return /^[\w@+=:,.\\/-]+$/.test(word) ? word : `"${word}"`
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal would interpret them
  if (/[\u0000-\u001f\u007f-\u009f]/.test(word)) {
    return `$'${word.replace(/[^ -~\u00a0-\u{10ffff}]|['\\]/gu, escaped)}'`
  }
  return `'${word.replaceAll("'", `'\\''`)}'`
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code > 0x20 && code < 0x7f ? `\\${character}` : `\\u${code.toString(16).padStart(4, '0')}`
}
