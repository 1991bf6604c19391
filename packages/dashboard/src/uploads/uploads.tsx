import { useQueryClient } from '@tanstack/react-query'
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react'
import { showNotice } from '../components/notify.ts'
import { useLeaveWarning } from '../components/use-leave-warning.ts'
import { errorWords } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { isOver } from './upload-item.ts'
import { openUploadStore, type UploadStore, type UploadsState } from './upload-store.ts'

const UploadsContext = createContext<UploadStore | undefined>(undefined)

/** Lists are read again once in a while, not for each of a thousand files. */
const REFRESH_MS = 1_000

/** Uploads go on while people move between pages. */
export function UploadsProvider({ children }: { children: ReactNode }) {
  const client = useClient()
  const queries = useQueryClient()
  const [store, setStore] = useState<UploadStore>()

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const opened = openUploadStore(client, {
      onReady() {
        timer ??= setTimeout(() => {
          timer = undefined
          void queries.invalidateQueries()
        }, REFRESH_MS)
      },
      onProblem: (error) =>
        showNotice({ isFailure: true, title: 'Not cancelled', message: errorWords(error) }),
    })
    setStore(opened)
    return () => {
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

/** While anything is neither finished nor given up. */
function LeaveWarning() {
  const { items } = useUploadsState()
  useLeaveWarning(items.some((item) => !isOver(item) && item.progress.state !== 'stopped'))
  return null
}

export function useUploads(): UploadStore {
  const store = useContext(UploadsContext)
  if (store === undefined) throw new Error('there are no uploads around this')
  return store
}

export function useUploadsState(): UploadsState {
  const store = useUploads()
  return useSyncExternalStore(store.subscribe, store.read)
}
