import { useEffect } from 'react'
import { isOver } from './upload-item.ts'
import type { UploadsState } from './upload-store.ts'

/** The browser asks before it leaves the page while anything is neither finished nor given up. */
export function useLeaveWarning({ items }: UploadsState): void {
  const isNeeded = items.some((item) => !isOver(item) && item.progress.state !== 'stopped')
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isNeeded])
}
