const SIZE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const
const SIZE_STEP = 1000

export type SizeUnit = (typeof SIZE_UNITS)[number]

/** Formats bytes in decimal units with at most one decimal place: `1.2 MB`, `250 MB`. */
export function formatSize(bytes: number): string {
  const { value, unit } = splitSize(bytes)
  return `${value} ${unit}`
}

/** The same value and unit as `formatSize`, for programs that write numbers and units in the language of a reader. */
export function splitSize(bytes: number): { value: number; unit: SizeUnit } {
  let value = bytes
  let unit = 0
  // Round before comparing: 999,960 bytes are "1 MB", not "1000 kB".
  while (roundToTenth(value) >= SIZE_STEP && unit < SIZE_UNITS.length - 1) {
    value /= SIZE_STEP
    unit += 1
  }
  return { value: roundToTenth(value), unit: SIZE_UNITS[unit] ?? 'PB' }
}

function roundToTenth(value: number): number {
  return Math.round(value * 10) / 10
}

const SIZE_FACTORS: Record<string, number> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  pb: 1e15,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  pib: 2 ** 50,
}

/** Parses `1TB`, `1.5 GB`, `512MiB` or a number of bytes. Returns undefined for any other text. */
export function parseSize(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(text)
  const factor = SIZE_FACTORS[match?.[2]?.toLowerCase() ?? '?']
  if (match === null || factor === undefined) return undefined
  // There are no fractions of a byte.
  if (factor === 1 && match[1]?.includes('.')) return undefined
  const bytes = Math.round(Number(match[1]) * factor)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

const DURATION_UNITS: Record<string, number> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

/** Parses `90s`, `30m`, `12h` or `7d` to milliseconds. Returns undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const match = /^\s*(\d+)\s*([smhd])\s*$/.exec(text)
  const unit = DURATION_UNITS[match?.[2] ?? '']
  return match === null || unit === undefined ? undefined : Number(match[1]) * unit
}

/** Formats milliseconds in the largest unit of which there are at least two: `45 s`, `90 min`, `7 d`. */
export function formatDuration(milliseconds: number): string {
  const { value, unit } = splitDuration(milliseconds)
  return `${value} ${unit}`
}

/** The same value and unit as `formatDuration`. */
export function splitDuration(milliseconds: number): {
  value: number
  unit: 's' | 'min' | 'h' | 'd'
} {
  const rounded = Math.round(milliseconds / 1000)
  // Show at least 1 s while time remains.
  const seconds = milliseconds > 0 ? Math.max(1, rounded) : rounded
  if (seconds < 120) return { value: seconds, unit: 's' }
  if (seconds < 120 * 60) return { value: Math.round(seconds / 60), unit: 'min' }
  if (seconds < 48 * 3600) return { value: Math.round(seconds / 3600), unit: 'h' }
  return { value: Math.round(seconds / 86_400), unit: 'd' }
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))
const DAY_MS = 86_400_000

/** The start of the last text, such as `2026-01-31T`, and its day since 1970. */
let lastDate = ''
let lastDay = Number.NaN

/**
 * Returns the same text as `toISOString` in a fraction of the time: every row of a list has timestamps, most of them of
 * the same day.
 */
export function formatTimestamp(date: Date): string {
  const time = date.getTime()
  const day = Math.floor(time / DAY_MS)
  // This is also true for an invalid date, for which `toISOString` throws.
  if (day !== lastDay) {
    const text = date.toISOString()
    lastDate = text.slice(0, text.indexOf('T') + 1)
    lastDay = day
  }
  const milliseconds = time - day * DAY_MS
  const seconds = Math.floor(milliseconds / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return `${lastDate}${TWO_DIGITS[hours]}:${TWO_DIGITS[minutes - hours * 60]}:${TWO_DIGITS[seconds - minutes * 60]}.${THREE_DIGITS[milliseconds - seconds * 1000]}Z`
}

const TIMESTAMP =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/i

/** The years 1 to 9999 in UTC, which every database can store. */
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z')
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z')

/** Parses a time in ISO 8601 with its time zone, or a day in UTC. Returns undefined for any other text. */
export function parseTimestamp(text: string): Date | undefined {
  if (!TIMESTAMP.test(text)) return undefined
  const date = new Date(text)
  // `Date` accepts the 31st of every month.
  const isDay =
    new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === Number(text.slice(8, 10))
  const isInRange = date.getTime() >= FIRST_TIME && date.getTime() <= LAST_TIME
  return isInRange && isDay ? date : undefined
}
