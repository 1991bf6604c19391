import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './detail-list.module.css'

/** What is known of one thing, each a `Fact`. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className={classes.facts}>{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
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
