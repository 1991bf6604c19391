import { Button } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { focusPage } from './focus-page.ts'

export interface Notice {
  message: string
  title?: string
  /** An error stays until it is dismissed. */
  isError?: boolean
  /** A button, such as Undo. */
  action?: { label: string; run(): void }
}

const AUTO_CLOSE_MS = 4_000
/** A message with a button must be read and reached. */
const ACTION_CLOSE_MS = 10_000

/** Shows a message in the corner of the window, on every page. */
export function notify({ message, title, isError = false, action }: Notice): void {
  const run = () => {
    notifications.hide(id)
    action?.run()
  }
  const notification = {
    title,
    message: (
      <>
        <bdi dir="auto">{message}</bdi>
        {action && (
          <Button size="compact-sm" variant="light" ms="md" onClick={run}>
            {action.label}
          </Button>
        )}
      </>
    ),
    color: isError ? 'red' : 'cyan',
    withBorder: true,
    closeButtonProps: { 'aria-label': 'Dismiss' },
    onClose({ id = '' }: { id?: string }) {
      if (document.getElementById(id)?.contains(document.activeElement)) focusPage()
    },
  }
  const id: string = notifications.show({
    ...notification,
    autoClose: isError ? false : action ? ACTION_CLOSE_MS : AUTO_CLOSE_MS,
    // Mantine pauses the timer while the pointer is over a message, but not while it has the focus.
    onFocusCapture: () => notifications.update({ ...notification, id, autoClose: false }),
  })
}
