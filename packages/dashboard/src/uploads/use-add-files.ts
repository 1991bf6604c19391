import { showNotice } from '../components/notify.ts'
import { errorWords } from '../format/error-text.ts'
import { useUploads } from './uploads.tsx'

/** Sends files; if there are none, or the service can't even be asked, it says so. */
export function useAddFiles(): (
  files: Promise<readonly File[]> | readonly File[],
) => Promise<void> {
  const uploads = useUploads()
  return async (files) => {
    const refuse = (message: string) =>
      showNotice({ isFailure: true, title: 'Nothing was sent', message })
    try {
      const found = await files
      if (found.length > 0) await uploads.add(found)
      else refuse('There are no files in the folder.')
    } catch (error) {
      refuse(errorWords(error))
    }
  }
}
