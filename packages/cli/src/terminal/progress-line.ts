import { formatDuration, formatSize } from '@stowage/protocol/format'
import { isolateRightToLeft, sanitize } from './sanitize.ts'
import { padEnd, padStart, truncate } from './width.ts'

export interface ProgressDetails {
  name: string
  bytes: number
  total: number
  /** Bytes per second. */
  rate: number
  secondsLeft: number | undefined
  /** Shown instead of amount, rate and time. */
  note?: string | undefined
}

const GAP = 2
/** The widths of the parts, so that the lines of several files align. Only the bar can be wider. */
const WIDTHS = { percent: 5, time: 12, rate: 10, bar: 10, amount: 19 }
const MIN_NAME = 12
const MAX_NAME = 40
const MAX_BAR = 30

/** `course.mp4  ████░░░░  46 %  1.2 GB of 2.6 GB  12 MB/s  117 s left`, in at most `columns`. */
export function progressLine(progress: ProgressDetails, columns: number): string {
  const { name, bytes, total, note } = progress
  let left = columns - MIN_NAME - GAP - WIDTHS.percent
  let isFull = false
  const has = (part: 'time' | 'rate' | 'bar' | 'amount') => {
    // Parts are added in order of importance. After the first that does not fit, none is added.
    isFull ||= left < WIDTHS[part] + GAP
    if (!isFull) left -= WIDTHS[part] + GAP
    return !isFull
  }
  const time = has('time') ? [padStart(timeText(progress), WIDTHS.time)] : []
  const rate = has('rate') ? [padStart(rateText(progress), WIDTHS.rate)] : []
  const hasBar = has('bar')
  const amount = has('amount') ? [padStart(amountText(progress), WIDTHS.amount)] : []
  const more = hasBar ? Math.min(MAX_BAR - WIDTHS.bar, Math.floor(left / 2)) : 0
  const bar = hasBar ? [barOf(bytes, total, WIDTHS.bar + more)] : []
  const label = padded(sanitize(name), Math.min(MAX_NAME, MIN_NAME + left - more))
  const percent = padStart(`${percentOf(bytes, total)} %`, WIDTHS.percent)
  const details = [...amount, ...rate, ...time]
  const width = details.join(' '.repeat(GAP)).length
  const shown = note === undefined ? details : [truncate(sanitize(note), width)]
  return [label, ...bar, percent, ...shown].join(' '.repeat(GAP)).trimEnd()
}

function padded(name: string, width: number): string {
  const short = truncate(name, width)
  return padEnd(short, width).replace(short, () => isolateRightToLeft(short))
}

function amountText({ bytes, total }: Pick<ProgressDetails, 'bytes' | 'total'>): string {
  return `${formatSize(bytes)} of ${formatSize(total)}`
}

/** Rounded down: 99.9 % is 99 %, and only a complete file is 100 %. */
export function percentOf(bytes: number, total: number): number {
  return total === 0 ? 100 : Math.min(100, Math.floor((bytes / total) * 100))
}

export function barOf(bytes: number, total: number, width: number): string {
  const full = total === 0 ? width : Math.min(width, Math.floor((bytes / total) * width))
  return '█'.repeat(full) + '░'.repeat(width - full)
}

function rateText({ rate }: Pick<ProgressDetails, 'rate'>): string {
  return rate > 0 ? `${formatSize(Math.round(rate))}/s` : ''
}

function timeText({ secondsLeft }: Pick<ProgressDetails, 'secondsLeft'>): string {
  return secondsLeft === undefined ? '' : `${formatDuration(secondsLeft * 1000)} left`
}

/** The progress as a sentence, for logs. */
export function progressSentence(progress: ProgressDetails): string {
  const { name, bytes, total, note } = progress
  const details = note === undefined ? [rateText(progress), timeText(progress)] : [note]
  const parts = [amountText(progress), ...details].filter((part) => part !== '')
  return sanitize(`${name}: ${percentOf(bytes, total)} %, ${parts.join(', ')}`)
}
