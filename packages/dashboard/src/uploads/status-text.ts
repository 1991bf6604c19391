import { formatDuration, formatSize } from '@stowage/protocol/format'
import { errorText } from '../format/error-text.ts'
import { replacementErrorText } from './replacement-text.ts'
import type { UploadItem } from './upload-item.ts'

/** The state of an upload: `45 MB of 500 MB · 12 MB/s · 40 s left`. */
export function statusText(
  { file, progress, error, replaces }: UploadItem,
  isOnline: boolean,
): string {
  const { state, bytes, problem } = progress
  const done = `${formatSize(bytes)} of ${formatSize(file.size)}`
  switch (state) {
    case 'paused':
      return `Paused at ${done}`
    case 'finishing':
      return 'Finishing: the service is assembling the file'
    case 'stopped':
      return replaces === undefined ? errorText(error) : replacementErrorText(error)
    case 'cancelled':
      return 'Cancelled'
    case 'ready':
      return formatSize(file.size)
    default:
      if (!isOnline) return `${done} · offline, resumes automatically`
      if (problem !== undefined) return `${done} · retrying: ${errorText(problem)}`
      if (bytes === 0) return `${formatSize(file.size)} · waiting`
      return state === 'waiting' ? `${done} · waiting` : `${done}${paceText(progress)}`
  }
}

/** ` · 12 MB/s · 40 s left`. Omits what is unknown. */
export function paceText(pace: { rate: number; secondsLeft: number | undefined }): string {
  const rate = pace.rate > 0 ? ` · ${formatSize(pace.rate)}/s` : ''
  const left =
    pace.secondsLeft === undefined ? '' : ` · ${formatDuration(pace.secondsLeft * 1000)} left`
  return rate + left
}
