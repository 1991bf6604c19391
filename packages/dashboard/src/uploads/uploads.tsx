import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import { notify } from '../components/notifications.tsx'
import { useLeaveWarning } from '../components/page.tsx'
import { onServiceBack } from '../components/service.ts'
import { errorText } from '../format.ts'
import { uploads as texts } from '../i18n/en/uploads.ts'
import { changedBy } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { isEnded } from './upload-item.ts'
import { openUploadStore } from './upload-store.ts'
import type { UploadStore, UploadsState } from './uploads-state.ts'

const UploadsContext = createContext<UploadStore | undefined>(undefined)

/** Lists are loaded again at most this often, not for each of a thousand files. */
const REFRESH_MS = 1_000

/** Uploads continue while the user moves between pages. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const client = useClient()
  const queries = useQueryClient()
  const [store, setStore] = useState<UploadStore>()

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const opened = openUploadStore(client, {
      onReady({ attach, replaces }) {
        // A new asset is attached while it is uploaded. An asset that is replaced must not change before the
        // upload is complete.
        if (attach !== undefined && replaces !== undefined) {
          client.attach(replaces.id, attach).catch((error: unknown) =>
            notify({
              isError: true,
              title: texts.replacedNotAttached,
              message: errorText(error),
            }),
          )
        }
        timer ??= setTimeout(() => {
          timer = undefined
          void queries.invalidateQueries(changedBy('asset.ready', 'asset.replaced'))
        }, REFRESH_MS)
      },
      onAddError: (error) =>
        notify({ isError: true, title: texts.noFiles, message: errorText(error) }),
      onCancelError: (error) =>
        notify({ isError: true, title: texts.cancelFailed, message: errorText(error) }),
    })
    setStore(opened)
    const stopListening = onServiceBack(opened.retryUnreached)
    return () => {
      stopListening()
      clearTimeout(timer)
      opened.close()
    }
  }, [client, queries])

  if (store === undefined) return null
  return (
    <UploadsContext value={store}>
      <LeaveWarning />
      {children}
    </UploadsContext>
  )
}

/** Active while any upload is neither finished nor stopped, and while files wait for the service. */
function LeaveWarning() {
  const { items, waiting } = useUploadsState()
  const isUploading = items.some((item) => !isEnded(item) && item.progress.state !== 'stopped')
  useLeaveWarning(isUploading || waiting.length > 0)
  return null
}

export function useUploads(): UploadStore {
  const store = useContext(UploadsContext)
  if (store === undefined) throw new Error('useUploads is called outside of UploadsProvider')
  return store
}

export function useUploadsState(): UploadsState {
  const store = useUploads()
  return useSyncExternalStore(store.subscribe, store.read)
}
