import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { Problem } from './error-alert.tsx'
import { Section } from './section.tsx'

interface Props<Data> {
  of: { data: Data | undefined; error: unknown; refetch(): unknown }
  title: string
  children(data: Data): ReactNode
}

/** A part of a page that comes, and fails, by itself. */
export function LoadedSection<Data>({ of, title, children }: Props<Data>) {
  const { data, error, refetch } = of
  return (
    <Section title={title}>
      {error !== null && (
        <Problem title="This can’t be read" error={error} onRetry={() => void refetch()} />
      )}
      {error === null && data === undefined && (
        <Skeleton h={96} role="status" aria-label="Loading" />
      )}
      {error === null && data !== undefined && children(data)}
    </Section>
  )
}
