import { isStowageError, type StowageError } from '@stowage/client'
import { splitDuration, splitSize } from '@stowage/protocol/format'
import { errorByCode, problemText } from './i18n/api-texts.ts'
import { common } from './i18n/en/common.ts'
import { cached, fill, numberText } from './i18n/texts.ts'

export { numberText }

/** A message for users: what happened, and what to do about it. */
export function errorText(error: unknown): string {
  if (!isStowageError(error)) return error instanceof Error ? error.message : String(error)
  switch (error.code) {
    case 'storage_exceeded':
      return fill(common.storageExceeded, {
        needed: sizeText(Number(error.facts.needed)),
        available: sizeText(Number(error.facts.available)),
      })
    case 'assets_exceeded':
      return fill(common.assetsExceeded, {
        needed: numberText(Number(error.facts.needed)),
        available: numberText(Number(error.facts.available)),
      })
    case 'network':
      return common.networkError
    case 'file_changed':
      return common.fileChanged
    case 'upload_ended':
      return common.uploadEnded
    case 'invalid':
      return invalidText(error)
    default:
      return errorByCode(error.code) ?? problemText(error.message)
  }
}

function invalidText({ errors, message }: StowageError): string {
  const fields = Object.entries(errors).map(([field, problems]) =>
    fill(common.fieldProblem, { field, problems: problems.map(problemText).join(', ') }),
  )
  return fields.length > 0 ? fields.join('; ') : problemText(message)
}

/** A percentage that is never rounded down to 0% or up to 100%: `42%`, `< 1%`. */
export function shareText(part: number, whole: number): string {
  const percent = (value: number) =>
    cached('percent', (locale) => new Intl.NumberFormat(locale, { style: 'percent' })).format(value)
  if (whole <= 0 || part <= 0) return percent(0)
  const share = part / whole
  if (share < 0.01) return `< ${percent(0.01)}`
  if (share > 0.99 && share < 1) return `> ${percent(0.99)}`
  return percent(share)
}

/** The same size as the API and the CLI show, with the decimal separator and the units of the language: `1,2 Mo`. */
export function sizeText(bytes: number): string {
  const { value, unit } = splitSize(bytes)
  return fill(common.size[unit], { value })
}

/** In the largest unit of which there are at least two: `45 s`, `90 min`. */
export function durationText(milliseconds: number): string {
  const { value, unit } = splitDuration(milliseconds)
  return fill(common.duration[unit], { value })
}

const DATE_STYLES = {
  full: { dateStyle: 'full', timeStyle: 'long' },
  seconds: { dateStyle: 'medium', timeStyle: 'medium' },
  minutes: { dateStyle: 'medium', timeStyle: 'short' },
  day: { dateStyle: 'medium' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

/** A time in the reader's time zone and language. */
export function dateText(date: Date, style: keyof typeof DATE_STYLES): string {
  const create = (locale: string) => new Intl.DateTimeFormat(locale, DATE_STYLES[style])
  return cached(`date ${style}`, create).format(date)
}

/** Names in a row: `a, b, and c`. */
export function listText(names: readonly string[], type: 'conjunction' | 'disjunction'): string {
  return cached(`list ${type}`, (locale) => new Intl.ListFormat(locale, { type })).format(names)
}

/** `notes.txt in course/week 1`: distinguishes files of the same name. */
export function nameWithFolder({
  filename,
  path,
}: {
  filename: string
  path: string | null
}): string {
  return path === null ? filename : fill(common.nameInFolder, { name: filename, folder: path })
}
