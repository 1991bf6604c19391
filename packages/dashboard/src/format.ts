import { isStowageError } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'

/** A message for users: what happened, and what to do about it. */
export function errorText(error: unknown): string {
  if (!isStowageError(error)) return error instanceof Error ? error.message : String(error)
  switch (error.code) {
    case 'storage_exceeded':
      return storageText(error.facts)
    case 'network':
      return 'Could not reach the service. Check your network connection and that the service is running.'
    case 'file_changed':
      return 'This file differs from the one that you started to upload. Choose the original file, or discard the upload and start again.'
    case 'upload_ended':
      return 'This upload was cancelled or expired. Upload the file again.'
    case 'invalid':
      return Object.entries(error.errors)
        .map(([field, problems]) => `${field} ${problems.join(', ')}`)
        .concat(Object.keys(error.errors).length === 0 ? [error.message] : [])
        .join('; ')
    default:
      return error.message
  }
}

function storageText({ needed, available }: Record<string, unknown>): string {
  const sizes = `${formatSize(Number(needed))} needed, ${formatSize(Number(available))} available.`
  return `Not enough storage: ${sizes} Delete files, or ask the operator of the service to upgrade the plan.`
}

const NUMBER = new Intl.NumberFormat()

/** With the separators of the reader's language: `1,234,567`. */
export function numberText(value: number): string {
  return NUMBER.format(value)
}

/** `1 file`, `2 files`. */
export function countText(count: number, singular: string, plural = `${singular}s`): string {
  return `${numberText(count)} ${count === 1 ? singular : plural}`
}

/** A percentage that is never rounded down to 0% or up to 100%: `42%`, `< 1%`. */
export function shareText(part: number, whole: number): string {
  if (whole <= 0 || part <= 0) return '0%'
  const percent = (part / whole) * 100
  if (percent < 1) return '< 1%'
  if (percent > 99 && percent < 100) return '> 99%'
  return `${Math.round(percent)}%`
}

/** `notes.txt in course/week 1`: distinguishes files of the same name. */
export function nameWithFolder(file: { filename: string; path: string | null }): string {
  return file.path === null ? file.filename : `${file.filename} in ${file.path}`
}
