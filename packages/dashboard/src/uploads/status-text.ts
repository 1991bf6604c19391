import { durationText } from '../format/duration-text.ts'
import { errorWords } from '../format/error-text.ts'
import { sizeText } from '../format/size-text.ts'
import type { UploadItem } from './upload-item.ts'

/** How an upload stands: `45 MB of 500 MB · 12 MB/s · 40 s left`. */
export function uploadWords({ file, progress, error }: UploadItem, isOnline: boolean): string {
  const { state, bytes, problem } = progress
  const done = `${sizeText(bytes)} of ${sizeText(file.size)}`
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
      return sizeText(file.size)
    default:
      if (!isOnline) return `${done} · offline, goes on by itself`
      if (problem !== undefined) return `${done} · trying again: ${errorWords(problem)}`
      return state === 'waiting' || bytes === 0
        ? `${sizeText(file.size)} · waiting`
        : `${done}${paceWords(progress)}`
  }
}

/** ` · 12 MB/s · 40 s left`, as far as it is known. */
export function paceWords(pace: { rate: number; secondsLeft: number | undefined }): string {
  const rate = pace.rate > 0 ? ` · ${sizeText(pace.rate)}/s` : ''
  const left = pace.secondsLeft === undefined ? '' : ` · ${durationText(pace.secondsLeft)} left`
  return rate + left
}
