import { formatDuration, formatSize } from '@stowage/protocol/format'
import { errorWords } from '../format/error-text.ts'
import type { UploadItem } from './upload-item.ts'

/** How an upload stands: `45 MB of 500 MB · 12 MB/s · 40 s left`. */
export function uploadWords({ file, progress, error }: UploadItem, isOnline: boolean): string {
  const { state, bytes, problem } = progress
  const done = `${formatSize(bytes)} of ${formatSize(file.size)}`
  switch (state) {
    case 'paused':
      return `Paused at ${done}`
    case 'finishing':
      return 'Almost done: the service puts it together'
    case 'stopped':
      return errorWords(error)
    case 'cancelled':
      return 'Cancelled'
    case 'ready':
      return formatSize(file.size)
    default:
      if (!isOnline) return `${done} · offline, goes on by itself`
      if (problem !== undefined) return `${done} · trying again: ${errorWords(problem)}`
      return state === 'waiting' || bytes === 0
        ? `${formatSize(file.size)} · waiting`
        : `${done}${paceWords(progress)}`
  }
}

/** ` · 12 MB/s · 40 s left`, as far as it is known. */
export function paceWords(pace: { rate: number; secondsLeft: number | undefined }): string {
  const rate = pace.rate > 0 ? ` · ${formatSize(pace.rate)}/s` : ''
  const left =
    pace.secondsLeft === undefined ? '' : ` · ${formatDuration(pace.secondsLeft * 1000)} left`
  return rate + left
}
