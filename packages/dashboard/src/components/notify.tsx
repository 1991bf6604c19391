import { notifications } from '@mantine/notifications'
import { focusPage } from './focus-page.ts'

export interface Notice {
  message: string
  title?: string
  /** An error stays until it is dismissed. */
  isError?: boolean
}

const AUTO_CLOSE_MS = 4_000

/** Shows a message in the corner of the window, on every page. */
export function notify({ message, title, isError = false }: Notice): void {
  const notification = {
    title,
    message: <bdi dir="auto">{message}</bdi>,
    color: isError ? 'red' : 'cyan',
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    onClose({ id = '' }: { id?: string }) {
      if (document.getElementById(id)?.contains(document.activeElement)) focusPage()
    },
  }
  const id = notifications.show({
    ...notification,
    autoClose: isError ? false : AUTO_CLOSE_MS,
    // Mantine pauses the timer while the pointer is over a message, but not while it has the focus.
    onFocusCapture: () => notifications.update({ ...notification, id, autoClose: false }),
  })
}
