import { Button, Notification } from '@mantine/core'
import { useEffect, useState } from 'react'
import { common } from '../i18n/en/common.ts'
import { useFocusHandover } from './focus.ts'
import classes from './notifications.module.css'

export interface Notice {
  message: string
  title?: string | undefined
  /** An error stays until it is dismissed. */
  isError?: boolean
  /** A button, such as Undo. */
  action?: { label: string; run(): void }
  /** Its subjects, such as the IDs of assets. A later notice about one of the same subjects removes this one. */
  about?: readonly string[]
}

const NOTICE_EVENT = 'stowage-notice'

/** Shows a message in the corner of the window, on every page. */
export function notify(notice: Notice): void {
  dispatch({ notice, about: notice.about ?? [] })
}

/** Removes the notices about any of these subjects, because they are no longer true. */
export function dismissNotices(about: readonly string[]): void {
  dispatch({ about })
}

interface NoticeChange {
  /** Undefined: notices are only removed. */
  notice?: Notice
  /** Earlier notices about any of these subjects are removed. */
  about: readonly string[]
}

function dispatch(detail: NoticeChange): void {
  dispatchEvent(new CustomEvent(NOTICE_EVENT, { detail }))
}

/** Calls the listener with each change of the notices. Returns a function that removes the listener. */
function onNotice(listener: (change: NoticeChange) => void): () => void {
  const handle = (event: Event) => listener((event as CustomEvent<NoticeChange>).detail)
  addEventListener(NOTICE_EVENT, handle)
  return () => removeEventListener(NOTICE_EVENT, handle)
}

/** With more messages, the oldest are removed. */
const MAX_NOTICES = 5
const AUTO_CLOSE_MS = 4_000
/** A message with a button stays longer, so that the user can read it and reach the button. */
const ACTION_CLOSE_MS = 10_000

interface ShownNotice extends Notice {
  id: number
}

/** Shows the messages of `notify`. */
export function NotificationArea() {
  const [notices, setNotices] = useState<readonly ShownNotice[]>([])
  useEffect(() => {
    let lastId = 0
    return onNotice(({ notice, about }) => {
      lastId += 1
      const added = notice === undefined ? [] : [{ ...notice, id: lastId }]
      const subjects = new Set(about)
      const isKept = (one: Notice) =>
        // Only the last change can be undone: undoing an earlier one could contradict it.
        !(notice?.action && one.action) && !one.about?.some((it) => subjects.has(it))
      setNotices((before) => [...before.filter(isKept), ...added].slice(-MAX_NOTICES))
    })
  }, [])
  return (
    <div className={classes.area}>
      {notices.map((notice) => (
        <NoticeCard
          key={notice.id}
          notice={notice}
          onClose={() => setNotices((before) => before.filter(({ id }) => id !== notice.id))}
        />
      ))}
    </div>
  )
}

function NoticeCard({ notice, onClose }: { notice: ShownNotice; onClose(): void }) {
  const { title, message, isError = false, action } = notice
  const card = useFocusHandover<HTMLDivElement>()
  const [isInUse, setInUse] = useState(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new onClose must not restart the timer
  useEffect(() => {
    if (isError || isInUse) return
    const timer = setTimeout(onClose, action ? ACTION_CLOSE_MS : AUTO_CLOSE_MS)
    return () => clearTimeout(timer)
  }, [isError, isInUse, action])
  return (
    <Notification
      ref={card}
      className={classes.notice}
      title={title}
      color={isError ? 'red' : 'cyan'}
      withBorder
      closeButtonProps={{ 'aria-label': common.dismiss }}
      onClose={onClose}
      // A message does not disappear while the user reads it or is about to press its button.
      onMouseEnter={() => setInUse(true)}
      onMouseLeave={() => setInUse(false)}
      onFocus={() => setInUse(true)}
      onBlur={() => setInUse(false)}
    >
      <bdi dir="auto">{message}</bdi>
      {action && (
        <Button
          size="compact-sm"
          variant="light"
          ms="md"
          onClick={() => {
            action.run()
            onClose()
          }}
        >
          {action.label}
        </Button>
      )}
    </Notification>
  )
}
