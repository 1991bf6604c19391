import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './detail-list.module.css'

/** Names and values; each pair is a `Detail`. */
export function DetailList({ children }: { children: ReactNode }) {
  return <dl className={classes.list}>{children}</dl>
}

export function Detail({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm">
        {children}
      </Text>
    </>
  )
}
