import {
  CONNECTION_HELP,
  CONNECTION_OPTIONS,
  readConnection,
  toCommandError,
} from '../connection.ts'
import { INTERRUPTED, onInterrupt } from '../interrupt.ts'
import { ignoreClosedOutput, writeMessage } from '../output.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { checkUpload, type UploadPlan, type UploadRequest } from '../upload/check-upload.ts'
import { isSpooled, removeSpooled } from '../upload/files.ts'
import { sendFiles, type UploadResult } from '../upload/send-files.ts'
import { type Command, CommandFailed, readOptions, requireArguments } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  attach: { type: 'string', multiple: true, short: 'a' },
  name: { type: 'string' },
  path: { type: 'string' },
  restart: { type: 'boolean' },
  again: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
} as const

export const upload: Command = {
  help: `stowage upload: upload files, folders and standard input

Usage:
  stowage upload FILE|FOLDER|PATTERN|-… [--attach SKU|ID|WORDS]… [--name NAME] [--path PATH]

  FOLDER        all files in it and in its subfolders, except hidden files
  PATTERN       files that match a glob pattern, such as 'bonus/*.pdf' (quote it)
  -             standard input, copied to a temporary file first; requires --name
  -a, --attach  attach the asset to a product: a SKU, the shop's ID of a product or a variant, the
                product's ID in Stowage, or words of its name, variant, SKU or vendor that match
                exactly one product; can be repeated
  --name        the name of the asset (one file only; default: the name of the file)
  --path        the folder of the assets, such as 'course/week 1'. Default: for a file in a FOLDER,
                the name of FOLDER and the subfolders; for a file that matches a PATTERN, the
                folders that the pattern matched; for a FILE, none
  --again       upload files even if they are already uploaded
  --restart     start over, even if an earlier upload can be resumed; implies --again
  -q, --quiet   do not show progress
${CONNECTION_HELP}
  --json        one JSON object per line, for each file: {file, asset} or {file, error}; a skipped
                file has skipped: true

Files that this command has already uploaded are skipped: those with the same path, size and
modification time, if their asset still exists. Failed parts are retried until there has been no
progress for half an hour. To resume an interrupted upload, even after a crash, run the same command
again; only missing parts are sent.

Ctrl-C pauses the upload, and a second Ctrl-C exits immediately. Both keep everything that was sent:
stowage uploads lists unfinished uploads, and stowage cancel discards one.

Exit codes: 0 all uploaded · 1 some failed (see standard error) · 2 wrong usage
            130 interrupted

Examples:
  stowage upload sample-pack.zip --attach PACK-WAV
  stowage upload course/ 'bonus/*.pdf'
  pg_dump shop | gzip | stowage upload - --name shop.sql.gz
`,
  async run(commandLine) {
    const request = readRequest(commandLine)
    const connection = await readConnection(request)
    ignoreClosedOutput()
    const interruption = onInterrupt()
    try {
      const plan = await checkUpload(request, connection, interruption.signal)
      const result = await sendFiles(plan, interruption.signal)
      return await reportResult(plan, result, interruption.signal)
    } catch (caught) {
      const error = toCommandError(caught, connection)
      if (!interruption.signal.aborted || error instanceof CommandFailed) throw error
      writeMessage('Interrupted. Nothing was sent.')
      return INTERRUPTED
    } finally {
      interruption.close()
    }
  },
}

function readRequest(commandLine: string[]): UploadRequest {
  const { values, positionals } = readOptions(commandLine, OPTIONS)
  const { url, key, name, path, attach = [], restart = false, quiet = false, json = false } = values
  const inputs = requireArguments(positionals, 'file')
  const again = restart || values.again === true
  return { inputs, name, path, attach, url, key, restart, again, quiet, json }
}

const MAX_LISTED_FILES = 20

/** Summarizes the upload and removes its temporary data. Returns the exit code. */
async function reportResult(
  plan: UploadPlan,
  result: UploadResult,
  signal: AbortSignal,
): Promise<number> {
  const { files, resumeWith } = plan
  const { completed, failed, percent } = result
  reportSkipped(plan, result)
  if (completed === files.length) {
    // Every copy of standard input has its own path, so its record can never be used again.
    await plan.completed.forget(files.filter(({ path }) => isSpooled(path)))
    for (const { path } of files) await removeSpooled(path)
    return 0
  }
  if (!signal.aborted) {
    writeMessage(
      `${failed} of ${files.length} files failed. To send only the missing parts, run:\n  ${resumeWith}`,
    )
    return 1
  }
  const count = files.length === 1 ? '' : `, ${completed} of ${files.length} files completed`
  writeMessage(`Paused at ${percent} %${count}. To resume, run:\n  ${resumeWith}`)
  reportUnfinished(plan, result)
  return INTERRUPTED
}

function reportSkipped({ files }: UploadPlan, { skipped }: UploadResult): void {
  if (skipped.length === 0) return
  const count = skipped.length === 1 ? '1 file was' : `${skipped.length} files were`
  const labels = files.length === 1 ? [] : listed(skipped.map(({ label }) => label))
  writeMessage(
    [`${count} already uploaded and skipped. Pass --again to upload again.`, ...labels].join('\n'),
  )
}

/** The parts that were sent stay on the server until the upload expires. */
function reportUnfinished({ program }: UploadPlan, { unfinished }: UploadResult): void {
  const ids = unfinished.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (ids.length === 0) return
  const shown = ids.length > 1 ? `ID… (${program} uploads lists the IDs)` : ids[0]
  writeMessage(`To discard the data that was sent, run:\n  ${program} cancel ${shown}`)
}

function listed(labels: string[]): string[] {
  const more = labels.length - MAX_LISTED_FILES
  const lines = labels.slice(0, MAX_LISTED_FILES).map((label) => `  ${sanitize(label)}`)
  return more > 0 ? [...lines, `  and ${more} more`] : lines
}
