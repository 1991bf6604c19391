/* The browser tab as a whole: its title, and leaving it. */

import { Center, Loader } from '@mantine/core'
import { useCallback, useEffect } from 'react'
import { common } from '../i18n/en/common.ts'

/** Sets the title of the browser tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    tab.title = `${title} · Stowage`
    showTitle()
  }, [title])
}

/** Shows the progress of the uploads before the title of the tab, such as `42%`. Undefined: there is none. */
export function useTitleProgress(progress: string | undefined): void {
  useEffect(() => {
    tab.progress = progress
    showTitle()
  }, [progress])
}

const tab: { title: string; progress: string | undefined } = {
  title: 'Stowage',
  progress: undefined,
}

function showTitle(): void {
  document.title = tab.progress === undefined ? tab.title : `${tab.progress} · ${tab.title}`
}

export function Loading() {
  return (
    <Center mih={240} role="status" aria-label={common.loading}>
      <Loader />
    </Center>
  )
}

export function Logo({ size = 28 }: { size?: number }) {
  return <img src="/icon.svg" alt="" width={size} height={size} />
}

/** Makes the browser ask before the page is closed or reloaded. */
export function useLeaveWarning(isNeeded: boolean): void {
  useEffect(() => {
    if (!isNeeded) return
    const warn = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isNeeded])
}

/** Writes the height of an element to a CSS property of the page for as long as the element is rendered. */
export function useHeightProperty(name: '--tray-height' | '--selection-height') {
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return
      const { style } = document.documentElement
      const observer = new ResizeObserver(() => {
        style.setProperty(name, `${element.offsetHeight}px`)
      })
      observer.observe(element)
      return () => {
        observer.disconnect()
        style.removeProperty(name)
      }
    },
    [name],
  )
}
