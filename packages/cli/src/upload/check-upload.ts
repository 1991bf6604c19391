import { createClient } from '@stowage/client/node'
import { type ConnectionValues, withClient } from '../connection/with-client.ts'
import { INTERRUPTED, type Interruption } from '../interrupt.ts'
import { writeMessage } from '../output.ts'
import { getProducts } from '../products/get-products.ts'
import { percentOf } from '../text/progress-line.ts'
import { sanitize } from '../text/sanitize.ts'
import { cancelUploads } from './cancel-uploads.ts'
import { checkStorage } from './check-storage.ts'
import type { LocalFile } from './collect-files.ts'
import { openCompletedFiles } from './completed-files.ts'
import { resumeCommand } from './resume-command.ts'
import { sendFiles } from './send-files.ts'
import { removeSpooled, spoolStdin } from './spool-stdin.ts'
import { openUploadProgress } from './upload-progress.ts'
import { openReport } from './write-outcome.ts'

export interface UploadWishes {
  /** As they were given. */
  inputs: string[]
  files: LocalFile[]
  /** What standard input is to be called; undefined when it is not meant. */
  stdinName: string | undefined
  name: string | undefined
  attach: string[]
  connection: ConnectionValues
  restarts: boolean
  isQuiet: boolean
  json: boolean
}

const SECOND_WITHIN_MS = 3_000

/**
 * Looks everything up, then sends. Unknown products and too little room are said before a byte is
 * read from a pipe or sent. Returns the exit code.
 */
export function runUpload(wishes: UploadWishes, interruption: Interruption): Promise<number> {
  const { signal } = interruption
  return withClient(wishes.connection, async (quick, connection) => {
    const finished = openCompletedFiles(connection.url)
    const [products] = await Promise.all([
      wishes.attach.length > 0 ? getProducts(quick, wishes.attach, { signal }) : undefined,
      checkStorage(quick, wishes.files, { finished, signal }),
    ])
    const { inputs, files } = await withStdin(wishes, signal)
    const howToGoOn = goOnWith({ ...wishes, inputs })
    if (wishes.stdinName !== undefined) {
      await checkStorage(quick, files, { finished, signal }).catch((error) => {
        writeMessage(`Standard input is kept. To send it later:\n  ${howToGoOn}`)
        throw error
      })
    }

    const obstacle = await finished.findObstacle()
    if (obstacle) writeMessage(sanitize(`Note: ${obstacle}: what is interrupted will begin anew.`))
    const board = openUploadProgress(files, wishes)
    const report = openReport({ connection, json: wishes.json })
    const left = await sendFiles({
      // With all its patience: a line that is gone for a while is no reason to give up.
      client: createClient({ baseUrl: connection.url, apiKey: connection.key }),
      files,
      attach: products?.references,
      restarts: wishes.restarts,
      finished,
      board,
      signal,
      onOutcome: report.write,
    }).finally(board.close)

    const { arrived, before, failed } = report.counts()
    if (before > 0)
      writeMessage(`${before} of ${files.length} had arrived before, and were not sent again.`)
    if (arrived === files.length) {
      await finished.forget(files)
      for (const { path } of files) await removeSpooled(path)
      return 0
    }
    if (!signal.aborted) {
      const again = 'The same command sends only what has not arrived'
      writeMessage(`${failed} of ${files.length} did not arrive. ${again}:\n  ${howToGoOn}`)
      return 1
    }
    const { bytes, total } = board.whole()
    const some = files.length === 1 ? '' : `, ${arrived} of ${files.length} files have arrived`
    writeMessage(`Paused at ${percentOf(bytes, total)} %${some}. To go on:\n  ${howToGoOn}`)
    if (process.stderr.isTTY) writeMessage('Ctrl-C again within 3 seconds cancels it.')
    if (await interruption.again(SECOND_WITHIN_MS)) {
      await cancelUploads(left)
      for (const { path } of files) await removeSpooled(path)
    }
    return INTERRUPTED
  })
}

/** Standard input as a file among the others. */
async function withStdin({ inputs, files, stdinName }: UploadWishes, signal: AbortSignal) {
  if (stdinName === undefined) return { inputs, files }
  const spooled = await spoolStdin(stdinName, signal)
  return {
    inputs: inputs.map((input) => (input === '-' ? spooled.path : input)),
    files: [...files, spooled],
  }
}

function goOnWith({ inputs, attach, name, connection: { url, key } }: UploadWishes): string {
  const folder = process.cwd()
  const program = process.env.npm_command === 'exec' ? 'npx stowage' : 'stowage'
  const command = { inputs, attach, name, url, hasKey: key !== undefined }
  return resumeCommand(command, { folder, program }) ?? `the same command, in ${folder}`
}
