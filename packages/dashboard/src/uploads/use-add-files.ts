import { notify } from '../components/notify.ts'
import { errorText } from '../format/error-text.ts'
import type { PickedFile } from './picked-file.ts'
import { useUploads } from './uploads.tsx'
import type { UploadTarget } from './uploads-state.ts'

/**
 * Uploads files, or passes them to the page that is the target of the drop. Shows a message if there are none or if
 * they cannot be added. While the service cannot be reached, the files wait.
 */
export function useAddFiles(): (
  files: Promise<readonly PickedFile[]> | readonly PickedFile[],
  target?: UploadTarget,
) => Promise<void> {
  const uploads = useUploads()
  return async (files, target) => {
    const reject = (message: string) =>
      notify({ isError: true, title: 'No files uploaded', message })
    try {
      const found = await files
      if (found.length === 0) reject('The folder contains no files.')
      else if (target?.onFiles !== undefined) target.onFiles(found)
      else if (target === undefined) await uploads.add(found)
      else await uploads.add(found.map((one) => ({ ...one, attach: target.attach })))
    } catch (error) {
      reject(errorText(error))
    }
  }
}
