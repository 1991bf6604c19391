import type { Progress, Upload } from '@stowage/client'
import type { PickedFile } from './picked-file.ts'
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
    const { state, bytes, rate } = item.progress
    totals.files += 1
    totals.total += item.file.size
    totals.bytes += state === 'ready' ? item.file.size : bytes
    if (state === 'ready') totals.done += 1
    if (state === 'stopped') totals.failed += 1
    if (state === 'paused') totals.paused += 1
    if (!isActive(item)) continue
    totals.active += 1
    totals.rate += state === 'sending' ? rate : 0
    totals.toSend += item.file.size - bytes
  }
  const { toSend, ...rest } = totals
  return { ...rest, secondsLeft: totals.rate > 0 ? toSend / totals.rate : undefined }
}
