import type { ListedUpload } from '@stowage/client'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { isFileOf, type ResumableUpload } from './resumable-upload.ts'
import { useUploads } from './uploads.tsx'

/** Resumes the uploads of these files. Each file is matched by name and size. */
export function useResumeFiles(listed: readonly ListedUpload[]): (files: readonly File[]) => void {
  const uploads = useUploads()
  return (files) => {
    const remaining = listed.map(resumableOf)
    const unmatched = files.filter((file) => {
      const index = remaining.findIndex((upload) => isFileOf(upload, file))
      const [upload] = index < 0 ? [] : remaining.splice(index, 1)
      if (upload !== undefined) uploads.resumeWith(upload, file)
      return upload === undefined
    })
    if (unmatched.length === 0) return
    const [first] = unmatched
    const subject =
      unmatched.length === 1 ? `“${first?.name}”` : countText(unmatched.length, 'file')
    notify({
      isError: true,
      title: 'Not resumed',
      message: `No unfinished upload has the name and size of ${subject}. Upload new files on another page.`,
    })
  }
}

export function resumableOf({ id, filename, bytes, created_at }: ListedUpload): ResumableUpload {
  return { id, name: filename, size: bytes, startedAt: created_at, problem: undefined }
}
