import { formatDuration, formatSize } from '@stowage/protocol/format'
import type { MoveProgress, MoveResult } from '@stowage/server'
import { counted, writeData, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/live-lines.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { type Command, readOptions, refuseArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  from: { type: 'string' },
  ahead: { type: 'boolean' },
  verify: { type: 'boolean' },
  'skip-damaged': { type: 'boolean' },
} as const

export const move: Command = {
  help: `stowage move: copy a service from SQLite and disk to PostgreSQL and S3; the source is kept

Usage:
  stowage move --from FOLDER [--ahead] [--verify] [--skip-damaged]

  --from           the data folder (STOWAGE_DATA) of the current service; it is not changed
  --ahead          only copy the files, while the current service is running, to shorten the
                   downtime
  --verify         also read back every file and compare it
  --skip-damaged   do not stop at files that are damaged, and list them at the end. Their assets are
                   copied without these files and marked as damaged: replace the files later
  --json           the summary as JSON; damaged: the skipped files, {id, filename, version, reason}

The STOWAGE_* variables set the target. Accounts, keys, products and assets keep their IDs, so that
all URLs stay valid. Uploads in progress are not copied. Every part is sent with its digest, so that
damaged data is detected. To resume an interrupted move, run the same command again. Until the move
is finished, stowage serve does not start on the target.

Exit codes: 0 moved · 1 not finished · 2 wrong usage or settings · 3 moved, but damaged files were
skipped · 130 interrupted

Examples:
  export STOWAGE_DATABASE=postgres://stowage:…@db/stowage STOWAGE_STORAGE=s3://my-bucket
  stowage move --from ./data --ahead      # while the old service is running; can be repeated
  stowage move --from ./data              # after you stop the old service
  stowage serve
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    refuseArguments(positionals)
    const { from, ahead = false, verify = false, json = false } = values
    const skipDamaged = values['skip-damaged'] === true
    if (from === undefined) throw new UsageError('No data folder given. Pass --from.')
    const server = await import('@stowage/server')
    const progress = showProgress()
    const describe = createDescriber()
    return server.move({
      from,
      ahead,
      verify,
      skipDamaged,
      onProgress: (now) => progress.show(describe(now)),
      onFailed: progress.clear,
      onMoved(moved) {
        progress.clear()
        writeData(moved, { json, text: summary(moved) })
        if (!json) for (const line of damagedLines(moved.damaged)) writeMessage(line)
        if (moved.uploadsLeft > 0 && !ahead) {
          writeMessage(
            `Uploads in progress that were not copied: ${moved.uploadsLeft}. Their clients must start over.`,
          )
        }
        writeMessage(
          ahead ? AHEAD : `${from} was not changed. Start the service with these settings.`,
        )
      },
    })
  },
}

const AHEAD = 'The files are copied. Stop the service and run this command again without --ahead.'

/** `312 of 1000 assets, 4.2 GB of 11 GB, 85 MB/s, 80 s left`. */
function createDescriber() {
  const start = performance.now()
  return ({ assets, bytes, totalAssets, totalBytes }: MoveProgress): string => {
    const elapsedMs = performance.now() - start
    const rate = bytes / Math.max(elapsedMs, 1)
    const left = rate > 0 ? `, ${formatDuration((totalBytes - bytes) / rate)} left` : ''
    const speed = formatSize(Math.round(rate * 1000))
    return `${assets} of ${counted(totalAssets, 'asset')}, ${formatSize(bytes)} of ${formatSize(totalBytes)}, ${speed}/s${left}`
  }
}

const MAX_LISTED = 20

/** The skipped files, as lines. */
function damagedLines(damaged: MoveResult['damaged']): string[] {
  if (damaged.length === 0) return []
  const more = damaged.length - MAX_LISTED
  return [
    `Damaged files that were skipped: ${damaged.length}. Replace them with stowage replace, or restore them in the data folder and run this command again.`,
    ...damaged
      .slice(0, MAX_LISTED)
      .map(({ id, filename, version, reason }) =>
        sanitize(`- ${id} ${filename} (version ${version}): ${reason}`),
      ),
    ...(more > 0 ? [`- and ${more} more (--json lists all)`] : []),
  ]
}

function summary(moved: MoveResult): string {
  const { accounts, products, assets, bytes, bytesSent } = moved
  const counts = accounts === 0 ? '' : `accounts ${accounts}, products ${products}, `
  return `At the target: ${counts}assets ${assets}, ${formatSize(bytes)} (sent by this run: ${formatSize(bytesSent)})`
}
