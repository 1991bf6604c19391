import type { ListedUpload } from '@stowage/client'
import { dismissNotices, notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import type { PickedFile } from './picked-file.ts'
import { findUploadOf, type ResumableUpload } from './resumable-upload.ts'
import { useUploads } from './uploads.tsx'

/** Resumes the uploads of these files. Each file is matched by name, size and, if it is known, folder. */
export function useResumeFiles(
  listed: readonly ListedUpload[],
): (files: readonly PickedFile[]) => void {
  const uploads = useUploads()
  return (files) => {
    const remaining = listed.filter((upload) => !upload.is_replacement).map(resumableOf)
    const unmatched = files.filter((picked) => {
      const upload = findUploadOf(remaining, picked)
      if (upload === undefined) return true
      remaining.splice(remaining.indexOf(upload), 1)
      dismissNotices([upload.id, upload.name])
      uploads.resumeWith(upload, picked.file)
      return false
    })
    if (unmatched.length === 0) return
    const [first] = unmatched
    const problem =
      unmatched.length === 1
        ? `No unfinished upload matches the name, size and folder of “${first?.file.name}”.`
        : `${countText(unmatched.length, 'file')} do not match any unfinished upload by name, size and folder.`
    notify({
      isError: true,
      title: 'Not resumed',
      message: `${problem} To upload new files, go to “Assets”.`,
      about: unmatched.map(({ file }) => file.name),
    })
  }
}

export function resumableOf(upload: ListedUpload): ResumableUpload {
  const { id, filename, bytes, path, created_at, is_replacement } = upload
  return {
    id,
    name: filename,
    size: bytes,
    path,
    startedAt: created_at,
    problem: undefined,
    replacement: is_replacement ? upload.upload_id : undefined,
    received: upload.received_bytes ?? undefined,
  }
}
