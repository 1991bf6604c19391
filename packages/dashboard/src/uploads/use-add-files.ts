import { notify } from '../components/notify.ts'
import { errorText } from '../format/error-text.ts'
import type { PickedFile } from './picked-file.ts'
import { useUploads } from './uploads.tsx'

/** Uploads files. Shows a message if there are none or the service cannot be reached. */
export function useAddFiles(): (
  files: Promise<readonly PickedFile[]> | readonly PickedFile[],
) => Promise<void> {
  const uploads = useUploads()
  return async (files) => {
    const reject = (message: string) =>
      notify({ isError: true, title: 'No files uploaded', message })
    try {
      const found = await files
      if (found.length > 0) await uploads.add(found)
      else reject('The folder contains no files.')
    } catch (error) {
      reject(errorText(error))
    }
  }
}
