import { Button, Notification } from '@mantine/core'
import { useEffect, useState } from 'react'
import { type Notice, onNotice } from '../components/notify.ts'
import { useFocusHandover } from '../components/use-focus-handover.ts'
import classes from './notification-area.module.css'

/** With more messages, the oldest are removed. */
const MAX_NOTICES = 5
const AUTO_CLOSE_MS = 4_000
/** A message with a button stays longer, so that the user can read it and reach the button. */
const ACTION_CLOSE_MS = 10_000

interface Shown extends Notice {
  id: number
}

/** Shows the messages of `notify`. */
export function NotificationArea() {
  const [notices, setNotices] = useState<readonly Shown[]>([])
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

function NoticeCard({ notice, onClose }: { notice: Shown; onClose(): void }) {
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
      closeButtonProps={{ 'aria-label': 'Dismiss' }}
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
