import { isStowageError, type Progress, type Upload } from '@stowage/client'
import { isUnreachable } from '../components/reachable.ts'
import type { Connection } from '../components/service.ts'
import { durationText, errorText, sizeText } from '../format.ts'
import { uploads as texts } from '../i18n/en/uploads.ts'
import { fill } from '../i18n/texts.ts'
import type { PickedFile, Replacement } from './picked-file.ts'
import type { ResumableUpload } from './resumable-upload.ts'

/** A file in the upload tray. Every change creates a new object. */
export interface UploadItem extends PickedFile {
  key: number
  progress: Progress
  /** Why it stopped. */
  error: unknown
  /** The ID of the asset, once the service has assigned it. */
  id: string | undefined
  /** The earlier upload that this one resumes. */
  resumed: ResumableUpload | undefined
  handle: Upload
}

/** Cancelling asks for confirmation if at least this much was sent; discarding, if the file is at least this large. */
export const CONFIRM_FROM_BYTES = 10_000_000

/** Whether the upload is running or waiting. Closing the page would interrupt it. */
export function isActive({ progress: { state } }: UploadItem): boolean {
  return state === 'waiting' || state === 'sending' || state === 'finishing'
}

export function isEnded({ progress: { state } }: UploadItem): boolean {
  return state === 'ready' || state === 'cancelled'
}

export interface UploadTotals {
  files: number
  done: number
  failed: number
  paused: number
  active: number
  bytes: number
  total: number
  rate: number
  secondsLeft: number | undefined
}

/** The totals of all uploads in the tray. */
export function totalsOf(items: readonly UploadItem[]): UploadTotals {
  const totals = {
    files: 0,
    done: 0,
    failed: 0,
    paused: 0,
    active: 0,
    bytes: 0,
    total: 0,
    rate: 0,
    toSend: 0,
  }
  for (const item of items) {
    const { state, bytes, rate, problem } = item.progress
    totals.files += 1
    totals.total += item.file.size
    totals.bytes += state === 'ready' ? item.file.size : bytes
    if (state === 'ready') totals.done += 1
    if (state === 'stopped') totals.failed += 1
    if (state === 'paused') totals.paused += 1
    if (!isActive(item)) continue
    totals.active += 1
    // While an upload retries, its rate is that of the past.
    totals.rate += state === 'sending' && problem === undefined ? rate : 0
    totals.toSend += item.file.size - bytes
  }
  const { toSend, ...rest } = totals
  return { ...rest, secondsLeft: totals.rate > 0 ? toSend / totals.rate : undefined }
}

/** The state of an upload: `45 MB of 500 MB · 12 MB/s · 40 s left`. */
export function statusText(
  { file, progress, error, replaces }: UploadItem,
  connection: Connection,
): string {
  const { state, bytes, problem } = progress
  const done = sizeText(bytes)
  const size = sizeText(file.size)
  const progressed = fill(texts.doneOf, { done, size })
  switch (state) {
    case 'paused':
      return fill(texts.pausedAt, { done, size })
    case 'finishing':
      return problem === undefined ? texts.finishing : problemText(problem, progressed, connection)
    case 'stopped':
      return replaces === undefined ? errorText(error) : replacementErrorText(error)
    case 'cancelled':
      return texts.cancelled
    case 'ready':
      return size
    default:
      if (problem !== undefined || connection === 'offline') {
        return problemText(problem, progressed, connection)
      }
      if (bytes === 0) return `${size} · ${texts.isWaiting}`
      return `${progressed}${state === 'waiting' ? ` · ${texts.isWaiting}` : paceText(progress)}`
  }
}

function problemText(problem: unknown, done: string, connection: Connection): string {
  if (connection === 'offline') return `${done} · ${texts.isOffline}`
  // The banner of the page explains it.
  if (connection === 'down' && isUnreachable(problem))
    return `${done} · ${texts.isWaitingForService}`
  return `${done} · ${fill(texts.isRetrying, { problem: errorText(problem) })}`
}

/** ` · 12 MB/s · 40 s left`. Omits what is unknown. */
export function paceText(pace: { rate: number; secondsLeft: number | undefined }): string {
  const { rate, secondsLeft } = pace
  const known = [
    ...(rate > 0 ? [fill(texts.perSecond, { size: sizeText(rate) })] : []),
    ...(secondsLeft === undefined
      ? []
      : [fill(texts.timeLeft, { duration: durationText(secondsLeft * 1000) })]),
  ]
  return known.map((text) => ` · ${text}`).join('')
}

/** How the tray shows that an upload replaces a file. */
export function replacementText({ filename }: Replacement, name: string): string {
  return filename === name ? texts.newVersion : fill(texts.newVersionOf, { name: filename })
}

/** Why a replacement stopped, and what to do about it. */
function replacementErrorText(error: unknown): string {
  if (!isStowageError(error)) return errorText(error)
  switch (error.code) {
    case 'replacement_in_progress':
      return texts.replacementInProgress
    case 'not_found':
      return texts.replacementDeleted
    case 'upload_ended':
      return texts.replacementEnded
    default:
      return errorText(error)
  }
}
