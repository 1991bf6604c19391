import { isStowageError } from '@stowage/client'
import { formatSize } from '@stowage/protocol/format'

/** What is wrong and what to do about it, for people. */
export function errorWords(error: unknown): string {
  if (!isStowageError(error)) return error instanceof Error ? error.message : String(error)
  switch (error.code) {
    case 'storage_exceeded':
      return storageWords(error.facts)
    case 'network':
      return 'The service can’t be reached. Check the network, and that the service runs.'
    case 'forbidden':
      return 'Your key may only read. Sign in with a key of the scope write or manage.'
    case 'file_changed':
      return 'This is not the file as it was when its upload began. Choose that one, or give the upload up and send this one anew.'
    case 'upload_ended':
      return 'This upload was cancelled or has expired. Send the file again.'
    case 'invalid':
      return Object.entries(error.errors)
        .map(([field, problems]) => `${field} ${problems.join(', ')}`)
        .concat(Object.keys(error.errors).length === 0 ? [error.message] : [])
        .join('; ')
    default:
      return error.message
  }
}

function storageWords({ needed, available }: Record<string, unknown>): string {
  const facts = `It needs ${formatSize(Number(needed))}, and ${formatSize(Number(available))} is free.`
  return `Not enough storage. ${facts} Delete files, or raise the plan.`
}
