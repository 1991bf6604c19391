import { Skeleton } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorAlert } from './error-alert.tsx'
import { Section } from './section.tsx'

interface Props<Data> {
  query: { data: Data | undefined; error: unknown; refetch(): unknown }
  title: string
  /** A button beside the title. */
  action?: ReactNode
  children(data: Data): ReactNode
}

/** A section with its own query, which loads and fails independently of the page. */
export function LoadedSection<Data>({ query, title, action, children }: Props<Data>) {
  const { data, error, refetch } = query
  return (
    <Section title={title} action={action}>
      {error !== null && (
        <ErrorAlert
          title={`Could not load “${title}”`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {error === null && data === undefined && (
        <Skeleton h={96} role="status" aria-label="Loading" />
      )}
      {error === null && data !== undefined && children(data)}
    </Section>
  )
}
