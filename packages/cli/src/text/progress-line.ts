import { formatDuration, formatSize } from '@stowage/protocol/format'
import { isolateRightToLeft, sanitize } from './sanitize.ts'
import { padEnd, padStart, truncate } from './width.ts'

export interface ProgressDetails {
  name: string
  bytes: number
  total: number
  /** Bytes a second. */
  rate: number
  secondsLeft: number | undefined
  /** Instead of rate and time, where there is something more important to say. */
  remark?: string | undefined
}

const GAP = 2
/** As wide as they ever get, so that the lines of several files stand in columns. */
const WIDTHS = { percent: 5, time: 12, rate: 10, bar: 10, amount: 19 }
const LEAST_NAME = 12
const MOST_NAME = 40
const MOST_BAR = 30

/** `course.mp4  ████░░░░  45 %  1.2 GB of 2.6 GB  12 MB/s  2 min left`, in at most `columns`. */
export function progressLine(facts: ProgressDetails, columns: number): string {
  const { name, bytes, total, remark } = facts
  let left = columns - LEAST_NAME - GAP - WIDTHS.percent
  let isFull = false
  const has = (part: 'time' | 'rate' | 'bar' | 'amount') => {
    // What is less important than something that has no room has none either.
    isFull ||= left < WIDTHS[part] + GAP
    if (!isFull) left -= WIDTHS[part] + GAP
    return !isFull
  }
  const time = has('time') ? [padStart(timeText(facts), WIDTHS.time)] : []
  const rate = has('rate') ? [padStart(rateText(facts), WIDTHS.rate)] : []
  const hasBar = has('bar')
  const amount = has('amount') ? [padStart(amountText(facts), WIDTHS.amount)] : []
  const more = hasBar ? Math.min(MOST_BAR - WIDTHS.bar, Math.floor(left / 2)) : 0
  const bar = hasBar ? [barOf(bytes, total, WIDTHS.bar + more)] : []
  const label = padded(sanitize(name), Math.min(MOST_NAME, LEAST_NAME + left - more))
  const percent = padStart(`${percentOf(bytes, total)} %`, WIDTHS.percent)
  const details = [...amount, ...rate, ...time]
  const room = details.join(' '.repeat(GAP)).length
  const shown = remark === undefined ? details : [truncate(sanitize(remark), room)]
  return [label, ...bar, percent, ...shown].join(' '.repeat(GAP)).trimEnd()
}

function padded(name: string, width: number): string {
  const short = truncate(name, width)
  return padEnd(short, width).replace(short, () => isolateRightToLeft(short))
}

function amountText({ bytes, total }: Pick<ProgressDetails, 'bytes' | 'total'>): string {
  return `${formatSize(bytes)} of ${formatSize(total)}`
}

/** All is only said of all: 99.9 % is 99 %. */
export function percentOf(bytes: number, total: number): number {
  return total === 0 ? 100 : Math.min(100, Math.floor((bytes / total) * 100))
}

export function barOf(bytes: number, total: number, width: number): string {
  const full = total === 0 ? width : Math.min(width, Math.floor((bytes / total) * width))
  return '█'.repeat(full) + '░'.repeat(width - full)
}

export function rateText({ rate }: Pick<ProgressDetails, 'rate'>): string {
  return rate > 0 ? `${formatSize(Math.round(rate))}/s` : ''
}

export function timeText({ secondsLeft }: Pick<ProgressDetails, 'secondsLeft'>): string {
  return secondsLeft === undefined ? '' : `${formatDuration(secondsLeft * 1000)} left`
}

/** The same without a terminal: a sentence for a log. */
export function progressSentence(facts: ProgressDetails): string {
  const { name, bytes, total, remark } = facts
  const how = remark === undefined ? [rateText(facts), timeText(facts)] : [remark]
  const words = [amountText(facts), ...how].filter((word) => word !== '')
  return sanitize(`${name}: ${percentOf(bytes, total)} %, ${words.join(', ')}`)
}
