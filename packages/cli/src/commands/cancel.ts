import {
  isStowageError,
  type ListedUpload,
  type NodeClient,
  type UnfinishedUpload,
} from '@stowage/client/node'
import { formatSize } from '@stowage/protocol/format'
import { getAsset, UUID } from '../assets.ts'
import { CONNECTION_HELP, CONNECTION_OPTIONS, toCommandError, withClient } from '../connection.ts'
import { ignoreClosedOutput, PAGE_SIZE, writeItem, writeMessage } from '../output.ts'
import { confirm, isInteractive } from '../terminal/prompt.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { removeSpooled } from '../upload/files.ts'
import { type Command, CommandFailed, readOptions, requireArguments, UsageError } from '../usage.ts'

const OPTIONS = { ...CONNECTION_OPTIONS, yes: { type: 'boolean', short: 'y' } } as const

export const cancel: Command = {
  help: `stowage cancel: discard unfinished uploads

Usage:
  stowage cancel ID|NAME… [--yes]

  -y, --yes     do not ask for confirmation. Required if not run in a terminal
${CONNECTION_HELP}
  --json        one JSON object per line: {id, filename, cancelled} or {id, filename, error}

The parts that were sent are removed, and the reserved storage is released. stowage uploads lists
unfinished uploads. To delete an asset that is already uploaded, use stowage rm.

Exit codes: 0 all discarded · 1 at least one upload was not discarded · 2 wrong usage

Examples:
  stowage cancel course.mp4
  stowage uploads --all --json | jq -r '.[].id' | xargs stowage cancel --yes
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const wanted = requireArguments(positionals, 'upload')
    const { yes = false, json = false } = values
    return withClient(values, async (client, connection) => {
      const uploads = await getUploads(client, wanted)
      if (!yes && !isInteractive())
        throw new UsageError('Not interactive. Pass --yes to discard without asking.')
      if (!yes) {
        for (const { filename, bytes } of uploads) {
          writeMessage(sanitize(`  ${filename}  ${formatSize(bytes)}`))
        }
        if (
          !(await confirm(uploads.length === 1 ? 'Discard this upload?' : 'Discard these uploads?'))
        ) {
          writeMessage('Nothing was discarded.')
          return 1
        }
      }
      ignoreClosedOutput()
      let code = 0
      for (const upload of uploads) {
        const { id, filename } = upload
        try {
          await discard(client, upload)
          const text = sanitize(`${id}  ${filename} discarded`)
          writeItem({ id, filename, cancelled: true }, { json, text })
        } catch (caught) {
          const error = toCommandError(caught, connection)
          if (!(error instanceof CommandFailed)) throw error
          code = 1
          writeMessage(`stowage: ${sanitize(filename)}: ${error.message}`)
          const problem = { code: codeOf(error), message: error.message }
          if (json) writeItem({ id, filename, error: problem }, { json, text: '' })
        }
      }
      return code
    })
  },
}

async function discard(client: NodeClient, upload: UploadToCancel): Promise<void> {
  const { id, replacement } = upload
  if (replacement !== undefined) return discardReplacement(client, id, replacement)
  const saved = (await client.unfinished()).find((upload) => upload.id === id)
  await client.cancelUpload(id)
  if (await isUploaded(client, id)) {
    throw new CommandFailed(
      'The upload was completed in the meantime. To delete the asset, run stowage rm.',
    )
  }
  if (saved !== undefined) await removeSpooled(pathOf(saved))
}

/** Does not change the asset. */
async function discardReplacement(client: NodeClient, id: string, uploadId: string): Promise<void> {
  const { version } = await client.asset(id)
  await client.cancelUpload(id, { upload_id: uploadId })
  if ((await client.asset(id)).version > version) {
    throw new CommandFailed(
      'The replacement was completed in the meantime. To restore the previous version, run stowage restore.',
    )
  }
}

/** The key consists of the URL of the service, the name and the path. */
function pathOf({ key, name }: UnfinishedUpload): string {
  return key.slice(key.indexOf(` ${name} `) + name.length + 2)
}

/** Returns false for a cancelled upload: the service reports it as not found. */
async function isUploaded(client: NodeClient, id: string): Promise<boolean> {
  try {
    await client.asset(id)
    return true
  } catch (error) {
    if (isStowageError(error, 'not_found')) return false
    throw error
  }
}

function codeOf({ cause }: CommandFailed): string {
  return isStowageError(cause) ? cause.code : 'failed'
}

interface UploadToCancel {
  id: string
  filename: string
  bytes: number
  /** The upload ID, for an unfinished replacement of a file. */
  replacement?: string | undefined
}

const MAX_CANDIDATES = 10

/** Finds the unfinished uploads with these IDs or file names, before the command discards the first one. */
async function getUploads(client: NodeClient, wanted: string[]): Promise<UploadToCancel[]> {
  const found = new Map<string, UploadToCancel>()
  for (const one of wanted) {
    const upload = UUID.test(one) ? await getById(client, one) : await getByName(client, one)
    found.set(upload.id, upload)
  }
  return [...found.values()]
}

async function getById(client: NodeClient, id: string): Promise<UploadToCancel> {
  const { filename, bytes, status } = await getAsset(client, id)
  if (status !== 'ready') return { id: id.toLowerCase(), filename, bytes }
  for await (const upload of client.uploads({ limit: PAGE_SIZE })) {
    if (upload.is_replacement && upload.id === id.toLowerCase()) return toCancel(upload)
  }
  throw new CommandFailed(
    `${sanitize(filename)} is already uploaded. To delete the asset, run stowage rm ${id}`,
  )
}

function toCancel({
  id,
  filename,
  bytes,
  is_replacement,
  upload_id,
}: ListedUpload): UploadToCancel {
  return { id, filename, bytes, replacement: is_replacement ? upload_id : undefined }
}

async function getByName(client: NodeClient, name: string): Promise<UploadToCancel> {
  const same: ListedUpload[] = []
  for await (const upload of client.uploads({ filename: name, limit: PAGE_SIZE })) {
    if (upload.filename === name) same.push(upload)
  }
  const [upload, ...more] = same
  if (upload === undefined) {
    throw new CommandFailed(
      `There is no unfinished upload named ${sanitize(name)}. Run stowage uploads to list all of them.`,
    )
  }
  if (more.length === 0) return toCancel(upload)
  const lines = same
    .slice(0, MAX_CANDIDATES)
    .map(
      ({ id, filename, bytes, created_at }) =>
        `\n  ${sanitize(`${id}  ${filename}  ${formatSize(bytes)}  ${created_at.slice(0, 10)}`)}`,
    )
  throw new CommandFailed(
    `${same.length} unfinished uploads are named ${sanitize(name)}. Pass one of these IDs:${lines.join('')}`,
  )
}
