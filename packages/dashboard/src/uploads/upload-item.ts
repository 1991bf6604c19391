import type { Progress, Upload } from '@stowage/client'
import type { OfferedUpload } from './resumable-upload.ts'

/** A file in the tray, as it stands. A new object after every change. */
export interface UploadItem {
  key: number
  file: File
  progress: Progress
  /** Why it stopped. */
  error: unknown
  /** Of the asset, once the service has given one. */
  id: string | undefined
  /** What was begun before the page was loaded, if it goes on with that. */
  offer: OfferedUpload | undefined
  handle: Upload
}

/** A slip of the finger costs no more than so many bytes. */
export const WORTH_ASKING = 10_000_000

/** Moving, or about to: leaving the page would stop it. */
export function isUnderWay({ progress: { state } }: UploadItem): boolean {
  return state === 'waiting' || state === 'sending' || state === 'finishing'
}

export function isOver({ progress: { state } }: UploadItem): boolean {
  return state === 'ready' || state === 'cancelled'
}

export interface UploadTotals {
  files: number
  done: number
  failed: number
  paused: number
  underWay: number
  bytes: number
  total: number
  rate: number
  secondsLeft: number | undefined
}

/** Of everything in the tray. What was cancelled counts no more. */
export function totalsOf(items: readonly UploadItem[]): UploadTotals {
  const totals = {
    files: 0,
    done: 0,
    failed: 0,
    paused: 0,
    underWay: 0,
    bytes: 0,
    total: 0,
    rate: 0,
    toSend: 0,
  }
  for (const item of items) {
    const { state, bytes, rate } = item.progress
    totals.files += 1
    totals.total += item.file.size
    totals.bytes += state === 'ready' ? item.file.size : bytes
    if (state === 'ready') totals.done += 1
    if (state === 'stopped') totals.failed += 1
    if (state === 'paused') totals.paused += 1
    if (!isUnderWay(item)) continue
    totals.underWay += 1
    totals.rate += state === 'sending' ? rate : 0
    totals.toSend += item.file.size - bytes
  }
  const { toSend, ...rest } = totals
  return { ...rest, secondsLeft: totals.rate > 0 ? toSend / totals.rate : undefined }
}
