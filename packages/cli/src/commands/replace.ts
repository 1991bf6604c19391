import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { createClient, isStowageError } from '@stowage/client/node'
import { fullName, getAsset } from '../assets.ts'
import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  openClient,
  readConnection,
  toCommandError,
} from '../connection.ts'
import { INTERRUPTED, onInterrupt } from '../interrupt.ts'
import { writeItem, writeMessage } from '../output.ts'
import { percentOf } from '../terminal/progress-line.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { openUploadProgress } from '../upload/upload-progress.ts'
import { type Command, CommandFailed, readOptions, UsageError } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  name: { type: 'string' },
  restart: { type: 'boolean' },
  resume: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
} as const

export const replace: Command = {
  help: `stowage replace: upload a new version of a file

Usage:
  stowage replace ID|NAME FILE [--name NAME]

  --name        the new name of the asset (default: it keeps its name)
  --restart     start over, even if an earlier upload of FILE can be resumed
  --resume      the upload ID of an unfinished replacement that was started on another machine with
                the same FILE; stowage uploads --json lists them
  -q, --quiet   do not show progress
${CONNECTION_HELP}
  --json        the asset as JSON

The asset keeps its ID and its products, and all links to it stay valid. Until the upload is
complete, downloads return the current version. stowage versions lists the versions, and stowage
restore makes an older one current again. To resume an interrupted upload, run the same command
again. To discard it, use stowage cancel.

Exit codes: 0 replaced · 1 failed (see standard error) · 2 wrong usage · 130 interrupted

Examples:
  stowage replace ebook.pdf ebook-fixed.pdf
  stowage replace 01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f pack-v2.zip --name pack-v2.zip
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const [wanted, path, ...more] = positionals
    if (wanted === undefined) throw new UsageError('No asset given.')
    if (path === undefined) throw new UsageError('No file given.')
    if (more.length > 0) throw new UsageError(`Unexpected argument: ${more.join(' ')}`)
    if (values.restart && values.resume !== undefined) {
      throw new UsageError('Pass either --restart or --resume.')
    }
    const size = await sizeOf(path)
    const connection = await readConnection(values)
    const interruption = onInterrupt()
    const { signal } = interruption
    const file = { path, size, name: basename(path), label: path, changedMs: 0 }
    const progress = openUploadProgress([file], { quiet: values.quiet === true })
    try {
      const { id } = await getAsset(openClient(connection), wanted)
      // With the client's default retry policy: a long network outage must not fail an upload.
      const client = createClient({ baseUrl: connection.url, apiKey: connection.key })
      const { name, restart, json = false } = values
      const resume = values.resume ?? restart !== true
      const upload = client.replace(id, { path }, { name, sha256: true, signal, resume })
      progress.start(file, upload)
      const asset = await upload.finally(() => progress.close())
      const text = sanitize(`${asset.id}  ${fullName(asset)} is now version ${asset.version}`)
      writeItem(asset, { json, text })
      return 0
    } catch (error) {
      if (signal.aborted) {
        const { bytes, total } = progress.summary()
        writeMessage(
          `Paused at ${percentOf(bytes, total)} %. Run the same command again to resume.`,
        )
        return INTERRUPTED
      }
      throw explained(error) ?? toCommandError(error, connection)
    } finally {
      progress.close()
      interruption.close()
    }
  },
}

async function sizeOf(path: string): Promise<number> {
  const stats = await stat(path).catch((error: Error) => {
    throw new CommandFailed(sanitize(`Cannot read ${path}: ${error.message}`))
  })
  if (stats.isFile()) return stats.size
  throw new CommandFailed(`${sanitize(path)} is not a file. Pass the path of a file.`)
}

function explained(error: unknown): CommandFailed | undefined {
  if (!isStowageError(error, 'replacement_in_progress')) return undefined
  const uploadId = sanitize(String(error.facts.upload_id))
  return new CommandFailed(
    `Another replacement of this asset is unfinished. Wait for it, continue it with the same file and --resume ${uploadId}, or discard it with stowage cancel.`,
    { cause: error },
  )
}
