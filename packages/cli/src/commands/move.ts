import { formatDuration, formatSize } from '@stowage/protocol/format'
import type { MoveProgress, MoveResult } from '@stowage/server'
import { writeData, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/show-progress.ts'
import { type Command, readOptions, refuseArguments, UsageError } from '../usage.ts'

const OPTIONS = {
  from: { type: 'string' },
  ahead: { type: 'boolean' },
  verify: { type: 'boolean' },
} as const

export const move: Command = {
  help: `stowage move: carry a service to other engines

Usage:
  stowage move --from FOLDER [--ahead] [--verify]

  --from      the data folder of the service as it is (its STOWAGE_DATA); it stays as it is
  --ahead     only carry files, while that service still runs: the stop for the rest is then short
  --verify    also read every file back and compare it
  --json      the summary as JSON

The STOWAGE_* variables name where it goes. Accounts, keys, products and assets arrive with their
ids, so that links and addresses of the API stay good. Uploads that are under way are not carried.
Every part is sent with its digest. A run that was ended in the middle is run again: it goes on.

Examples:
  export STOWAGE_DATABASE=postgres://stowage:…@db/stowage STOWAGE_STORAGE=s3://my-bucket
  stowage move --from ./data --ahead      # while the old service runs; as often as you like
  stowage move --from ./data              # after it was stopped
  stowage serve
`,
  async run(commandLine) {
    const { values, positionals } = readOptions(commandLine, OPTIONS)
    refuseArguments(positionals)
    const { from, ahead = false, verify = false, json = false } = values
    if (from === undefined) throw new UsageError('from which data folder? --from')
    const server = await import('@stowage/server')
    const progress = showProgress()
    const describe = describer()
    return server.move({
      from,
      ahead,
      verify,
      onProgress: (now) => progress.show(describe(now)),
      onFailed: progress.clear,
      onMoved(moved) {
        progress.clear()
        writeData(moved, { json, text: summary(moved) })
        if (moved.uploadsLeft > 0 && !ahead) {
          writeMessage(
            `Uploads under way that stay behind: ${moved.uploadsLeft}; their clients begin again.`,
          )
        }
        writeMessage(ahead ? AHEAD : `${from} is as it was. Start the service with these settings.`)
      },
    })
  },
}

const AHEAD = 'The files are there. Stop the service and run this again without --ahead.'

/** `312 of 1,000 assets, 4.2 GB of 11 GB, 85 MB/s, 80 s left`. */
function describer() {
  const start = performance.now()
  return ({ assets, bytes, totalAssets, totalBytes }: MoveProgress): string => {
    const elapsedMs = performance.now() - start
    const rate = bytes / Math.max(elapsedMs, 1)
    const left = rate > 0 ? `, ${formatDuration((totalBytes - bytes) / rate)} left` : ''
    const speed = formatSize(Math.round(rate * 1000))
    return `${assets} of ${totalAssets} assets, ${formatSize(bytes)} of ${formatSize(totalBytes)}, ${speed}/s${left}`
  }
}

function summary(moved: MoveResult): string {
  const { accounts, products, assets, bytes, bytesSent } = moved
  const counts = accounts === 0 ? '' : `accounts ${accounts}, products ${products}, `
  return `at the target: ${counts}assets ${assets}, ${formatSize(bytes)} (sent just now: ${formatSize(bytesSent)})`
}
