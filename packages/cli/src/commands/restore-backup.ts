import { formatDuration, formatSize } from '@stowage/protocol/format'
import type { MoveProgress, RestoreResult } from '@stowage/server'
import { counted, writeData, writeMessage } from '../output.ts'
import { showProgress } from '../terminal/live-lines.ts'
import { sanitize } from '../terminal/sanitize.ts'
import { readOptions, UsageError } from '../usage.ts'

const OPTIONS = {
  generation: { type: 'string' },
  'in-place': { type: 'boolean' },
  verify: { type: 'boolean' },
} as const

/** Restores a backup. Returns the exit code. */
export async function restoreBackup(commandLine: string[]): Promise<number> {
  const { values, positionals } = readOptions(commandLine, OPTIONS)
  const [folder, ...rest] = positionals
  if (folder === undefined || rest.length > 0) throw new UsageError('Name one folder.')
  const { generation, verify = false, json = false } = values
  const server = await import('@stowage/server')
  const progress = showProgress()
  const describe = createDescriber()
  return server.restore({
    folder,
    generation,
    verify,
    inPlace: values['in-place'] === true,
    onProgress: (now) => progress.show(describe(now)),
    onFailed: progress.clear,
    onDone(result) {
      progress.clear()
      writeData(result, { json, text: summary(result) })
      for (const line of damagedLines(result.damaged)) writeMessage(line)
      writeMessage('Start the service with these settings, then run: stowage doctor')
    },
  })
}

function createDescriber() {
  const start = performance.now()
  return ({ assets, bytes, totalAssets, totalBytes }: MoveProgress): string => {
    const rate = bytes / Math.max(performance.now() - start, 1)
    const left = rate > 0 ? `, ${formatDuration((totalBytes - bytes) / rate)} left` : ''
    return `${assets} of ${counted(totalAssets, 'asset')}, ${formatSize(bytes)} of ${formatSize(totalBytes)}${left}`
  }
}

function summary({
  generation,
  created_at,
  accounts,
  products,
  assets,
  bytes,
}: RestoreResult): string {
  return `Restored ${generation} (the state of ${created_at}): accounts ${accounts}, products ${products}, assets ${assets}, ${formatSize(bytes)}`
}

const MAX_LISTED = 20

function damagedLines(damaged: RestoreResult['damaged']): string[] {
  if (damaged.length === 0) return []
  const more = damaged.length - MAX_LISTED
  return [
    `Files that could not be restored: ${damaged.length}. Their assets are marked as damaged: replace them with stowage replace.`,
    ...damaged
      .slice(0, MAX_LISTED)
      .map(({ id, filename, version, reason }) =>
        sanitize(`- ${id} ${filename} (version ${version}): ${reason}`),
      ),
    ...(more > 0 ? [`- and ${more} more (--json lists all)`] : []),
  ]
}
