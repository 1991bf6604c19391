import { CONNECTION_HELP, CONNECTION_OPTIONS } from '../connection/with-client.ts'
import { INTERRUPTED, onInterrupt } from '../interrupt.ts'
import { ignoreClosedOutput, writeMessage } from '../output.ts'
import { runUpload, type UploadWishes } from '../upload/check-upload.ts'
import { collectFiles } from '../upload/collect-files.ts'
import { type Command, CommandFailed, readOptions, requireArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  ...CONNECTION_OPTIONS,
  attach: { type: 'string', multiple: true, short: 'a' },
  name: { type: 'string' },
  restart: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
} as const

export const upload: Command = {
  help: `stowage upload: send files, folders, and what comes from a pipe

Usage:
  stowage upload FILE|FOLDER|PATTERN|-… [--attach SKU|ID]… [--name NAME]

  FOLDER        everything in it, and in the folders in it, but for hidden files
  -             standard input; it is kept in a temporary file first. Needs --name
  -a, --attach  link it to a product: a SKU, the shop's id of a product or a variant, or the
                product's id here; may be given several times
  --name        what the asset is called (one file only; left out: the file's name)
  --restart     from the beginning, whatever was sent before
  -q, --quiet   no progress
${CONNECTION_HELP}
  --json        one JSON object a line and file: {file, asset} or {file, error}

Parts that fail are tried again, until nothing has worked for half an hour. The same command, given
again, goes on where it was interrupted, also after a crash, and sends only what has not arrived.
Ctrl-C pauses; once more within three seconds cancels, and the service forgets what it has.

Exit codes: 0 all arrived · 1 any did not (it says which) · 2 wrong usage · 130 interrupted

Examples:
  stowage upload sample-pack.zip --attach PACK-WAV
  stowage upload course/ 'bonus/*.pdf'
  pg_dump shop | gzip | stowage upload - --name shop.sql.gz
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    const wishes = await wishesOf(values, requireArguments(positionals, 'file'))
    ignoreClosedOutput()
    const interruption = onInterrupt({ twice: true })
    try {
      return await runUpload(wishes, interruption)
    } catch (error) {
      if (!interruption.signal.aborted || error instanceof CommandFailed) throw error
      writeMessage('Interrupted before anything was sent.')
      return INTERRUPTED
    } finally {
      interruption.close()
    }
  },
}

type Values = ReturnType<typeof readOptions<typeof OPTIONS>>['values']

/** Everything about the command line and the files is checked before anybody is called. */
async function wishesOf(values: Values, inputs: string[]): Promise<UploadWishes> {
  const { url, key, name, attach = [], restart = false, quiet = false, json = false } = values
  const usesStdin = inputs.includes('-')
  if (usesStdin && name === undefined) throw new UsageError('what is standard input called? --name')
  const { files, skipped } = await collectFiles(inputs.filter((input) => input !== '-'))
  const count = files.length + Number(usesStdin)
  if (name !== undefined && count > 1) throw new UsageError(`--name is for one file, not ${count}`)
  if (skipped.length > 0) writeMessage(`Hidden files left out: ${skipped.length}`)
  if (count === 0) throw new CommandFailed('there is no file in it')
  return {
    inputs,
    files: name === undefined ? files : files.map((file) => ({ ...file, name })),
    stdinName: usesStdin ? name : undefined,
    name,
    attach,
    connection: { url, key },
    restarts: restart,
    isQuiet: quiet,
    json,
  }
}
