import { Notification } from '@mantine/core'
import { useCallback, useEffect, useRef, useState } from 'react'
import classes from './notices.module.css'
import { type Notice, onNotice } from './notify.ts'

interface KeptNotice extends Notice {
  key: number
}

const SHOWN_MS = 4_000
/** Older ones make room. */
const MOST = 5

export function Notices() {
  const [notices, setNotices] = useState<readonly KeptNotice[]>([])
  const lastKey = useRef(0)
  useEffect(
    () =>
      onNotice((notice) => {
        lastKey.current += 1
        const kept = { ...notice, key: lastKey.current }
        setNotices((before) => [...before, kept].slice(-MOST))
      }),
    [],
  )
  const close = useCallback(
    (key: number) => setNotices((before) => before.filter((notice) => notice.key !== key)),
    [],
  )
  return (
    <div className={classes.notices}>
      {notices.map((notice) => (
        <OneNotice key={notice.key} notice={notice} onClose={close} />
      ))}
    </div>
  )
}

interface OneNoticeProps {
  notice: KeptNotice
  onClose(key: number): void
}

/** Whoever points at it, or stands on it, is not done with it. */
function OneNotice({ notice, onClose }: OneNoticeProps) {
  const { key, message, title, isFailure = false } = notice
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (isFailure) return
    const timer = setInterval(() => {
      if (!box.current?.matches(':hover, :focus-within')) onClose(key)
    }, SHOWN_MS)
    return () => clearInterval(timer)
  }, [key, isFailure, onClose])
  return (
    <Notification
      ref={box}
      className={classes.notice}
      title={title}
      color={isFailure ? 'red' : 'cyan'}
      withBorder
      closeButtonProps={{ 'aria-label': 'Dismiss' }}
      onClose={() => onClose(key)}
    >
      <bdi dir="auto">{message}</bdi>
    </Notification>
  )
}
