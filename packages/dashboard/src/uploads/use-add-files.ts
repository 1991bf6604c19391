import { notifications } from '@mantine/notifications'
import { errorWords } from '../format/error-words.ts'
import { useUploads } from './uploads.tsx'

/** Sends files; if the service can't even be asked, it says so. */
export function useAddFiles(): (
  files: Promise<readonly File[]> | readonly File[],
) => Promise<void> {
  const uploads = useUploads()
  return async (files) => {
    try {
      await uploads.add(await files)
    } catch (error) {
      notifications.show({ color: 'red', title: 'Nothing was sent', message: errorWords(error) })
    }
  }
}
