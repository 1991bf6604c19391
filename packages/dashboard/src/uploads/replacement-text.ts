import { isStowageError } from '@stowage/client'
import { errorText } from '../format/error-text.ts'
import type { Replacement } from './picked-file.ts'

/** How the tray shows that an upload replaces a file. */
export function replacementText({ filename }: Replacement, name: string): string {
  return filename === name ? 'New version' : `New version of ${filename}`
}

/** Why a replacement stopped, and what to do about it. */
export function replacementErrorText(error: unknown): string {
  if (!isStowageError(error)) return errorText(error)
  switch (error.code) {
    case 'replacement_in_progress':
      return 'Another replacement of this asset is unfinished. Wait until it is complete, or discard it on the page “Unfinished”. Then try again.'
    case 'not_found':
      return 'The asset was deleted, so its file cannot be replaced. Restore it if it is in the trash, or upload the file as a new asset.'
    case 'upload_ended':
      return 'The replacement was cancelled elsewhere, or the asset was deleted. Try again to start over.'
    default:
      return errorText(error)
  }
}
