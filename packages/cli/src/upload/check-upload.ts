import { resolve } from 'node:path'
import { folderPath } from '@stowage/client/internal/files'
import type { NodeClient, ProductReferences } from '@stowage/client/node'
import { formatSize } from '@stowage/protocol/format'
import { type Connection, openClient } from '../connection.ts'
import { writeMessage } from '../output.ts'
import { getProducts } from '../products.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { CommandFailed, UsageError } from '../usage.ts'
import { type CompletedFiles, openCompletedFiles } from './completed-files.ts'
import { collectFiles, type LocalFile, spoolStdin } from './files.ts'

/** The command line of `stowage upload`. */
export interface UploadRequest {
  /** Files, folders, patterns and `-`, as they were given. */
  inputs: string[]
  name: string | undefined
  /** The folder of the assets, from `--path`. It replaces the name of each folder in `inputs`. */
  path: string | undefined
  attach: string[]
  url: string | undefined
  key: string | undefined
  restart: boolean
  again: boolean
  quiet: boolean
  json: boolean
}

/** Everything that sending and reporting need to know. */
export interface UploadPlan {
  request: UploadRequest
  connection: Connection
  files: LocalFile[]
  /** The products to attach each asset to. */
  products: ProductReferences | undefined
  completed: CompletedFiles
  /** The command that resumes this upload. */
  resumeWith: string
  /** How this program is called: `stowage` or `npx stowage`. */
  program: string
}

/**
 * Checks the files, the products, and whether the account has enough storage. Everything that can be checked
 * without standard input is checked before it is read. Throws `UsageError` or `CommandFailed`; nothing has been
 * sent then.
 */
export async function checkUpload(
  request: UploadRequest,
  connection: Connection,
  signal: AbortSignal,
): Promise<UploadPlan> {
  const client = openClient(connection)
  const completed = openCompletedFiles(connection.url)
  const files = await checkFiles(request, signal)
  const [products] = await Promise.all([
    findProducts(client, request, signal),
    checkStorage(client, files, { completed: skippable(request, completed), signal }),
  ])
  const resumeWith = howToResume(request)
  const plan = { request, connection, files, products, completed, resumeWith, program: program() }
  const planned = request.inputs.includes('-') ? await addStdin(plan, client, signal) : plan
  const problem = await completed.findProblem()
  if (problem) writeMessage(sanitize(`Note: ${problem}. An interrupted upload will start over.`))
  return planned
}

async function checkFiles(
  { inputs, name, path }: UploadRequest,
  signal: AbortSignal,
): Promise<LocalFile[]> {
  const usesStdin = inputs.includes('-')
  if (usesStdin && name === undefined)
    throw new UsageError('Standard input has no name. Pass --name.')
  if (path !== undefined) checkFolder(path)
  const paths = inputs.filter((input) => input !== '-')
  const { files, skipped } = await collectFiles(paths, { signal, under: path })
  const count = files.length + Number(usesStdin)
  if (name !== undefined && count > 1) {
    throw new UsageError(`--name is for one file, but ${count} were given.`)
  }
  if (skipped.length > 0) writeMessage(`Hidden files skipped: ${skipped.length}`)
  if (count === 0) throw new CommandFailed('There are no files to upload.')
  return name === undefined ? files : files.map((file) => ({ ...file, name }))
}

/** The folders of files are changed to names that the service accepts. One that the user has chosen is not. */
function checkFolder(path: string): void {
  const folders = path.split('/').filter((folder) => folder !== '' && folder !== '.')
  const isAccepted = folders.length === 0 || folderPath(`${path}/-`) !== undefined
  if (isAccepted && !folders.includes('..')) return
  throw new UsageError(
    "--path must be a folder such as 'course/week 1', without .., with at most 255 characters in each folder and 512 in all.",
  )
}

async function findProducts(client: NodeClient, { attach }: UploadRequest, signal: AbortSignal) {
  if (attach.length === 0) return undefined
  return (await getProducts(client, attach, { signal })).references
}

/** Adds standard input as a file. It is kept if there is not enough storage for it. */
async function addStdin(plan: UploadPlan, client: NodeClient, signal: AbortSignal) {
  const { request, completed } = plan
  const spooled = await spoolStdin(request.name ?? '', signal)
  const inputs = request.inputs.map((input) => (input === '-' ? spooled.path : input))
  const folder = request.path === undefined ? undefined : folderPath(`${request.path}/-`)
  const files = [...plan.files, { ...spooled, folder }]
  const resumeWith = howToResume({ ...request, inputs })
  const skipped = skippable(request, completed)
  await checkStorage(client, files, { completed: skipped, signal }).catch((error) => {
    writeMessage(`Standard input was kept. To send it later:\n  ${resumeWith}`)
    throw error
  })
  return { ...plan, files, resumeWith }
}

/** The files that are not sent again. */
function skippable({ again }: UploadRequest, completed: CompletedFiles) {
  return again ? undefined : completed
}

function howToResume({ inputs, attach, name, path, url, key }: UploadRequest): string {
  const folder = process.cwd()
  const command = { inputs, attach, name, path, url, hasKey: key !== undefined }
  const options = { folder, program: program() }
  return resumeCommand(command, options) ?? `(the same command, in ${folder})`
}

function program(): string {
  return process.env.npm_command === 'exec' ? 'npx stowage' : 'stowage'
}

/**
 * Throws `CommandFailed` if the plan has too little storage for the files. Files that an earlier run
 * uploaded, or reserved storage for, are not counted again; `completed` is undefined if all files
 * are uploaded again (`--again`).
 */
async function checkStorage(
  client: NodeClient,
  files: LocalFile[],
  { completed, signal }: { completed: CompletedFiles | undefined; signal: AbortSignal },
): Promise<void> {
  const [{ available, plan }, unfinished] = await Promise.all([
    client.account({ signal }),
    client.unfinished(),
  ])
  const total = files.reduce((sum, { size }) => sum + size, 0)
  if (total <= available) return
  let needed = 0
  for (const file of files) {
    const reserved = unfinished.findIndex(
      ({ name, size }) => name === file.name && size === file.size,
    )
    if (reserved !== -1) unfinished.splice(reserved, 1)
    else if ((await completed?.find(file)) === undefined) needed += file.size
  }
  if (needed <= available) return
  const [subject, verb] =
    files.length === 1
      ? [sanitize(files[0]?.name ?? ''), 'needs']
      : [`${files.length} files`, 'need']
  const free = `${formatSize(available)} of ${formatSize(plan.storage)}`
  throw new CommandFailed(
    `Nothing was sent: ${subject} ${verb} ${formatSize(needed)}, but only ${free} is free (plan “${sanitize(plan.name)}”). Delete assets (stowage ls --sort largest lists the largest), or get a larger plan.`,
  )
}

interface UploadCommand {
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
