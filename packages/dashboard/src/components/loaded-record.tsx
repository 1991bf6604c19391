import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { isStowageError } from '@stowage/client'
import type { ReactNode } from 'react'
import { Problem } from './error-alert.tsx'

interface Props<Data> {
  of: { data: Data | undefined; error: unknown; refetch(): unknown }
  /** As in "This product is not here". */
  what: string
  /** How it may have come to be gone. */
  whyGone: string
  children(data: Data): ReactNode
}

/** One thing of the service, by its id: here, on its way, gone, or not to be read. */
export function Record<Data>({ of, what, whyGone, children }: Props<Data>) {
  const { data, error, refetch } = of
  if (isGone(error)) return <Gone title={`This ${what} is not here`}>{whyGone}</Gone>
  if (error !== null) {
    return (
      <Problem title={`The ${what} can’t be read`} error={error} onRetry={() => void refetch()} />
    )
  }
  if (data === undefined) return <Coming />
  return children(data)
}

/** The client refuses an ID that is not a UUID with a TypeError: nothing has such an ID. */
function isGone(error: unknown): boolean {
  return isStowageError(error, 'not_found') || error instanceof TypeError
}

function Gone({ title, children }: { title: string; children: string }) {
  return (
    <Stack gap="xs">
      <Title order={1} size="h2">
        {title}
      </Title>
      <Text c="dimmed">{children}</Text>
    </Stack>
  )
}

function Coming() {
  return (
    <Stack role="status" aria-label="Loading">
      <Skeleton h={36} w="50%" />
      <Skeleton h={240} />
    </Stack>
  )
}
