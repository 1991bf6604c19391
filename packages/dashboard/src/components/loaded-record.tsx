import { Skeleton, Stack, Text, Title } from '@mantine/core'
import { isStowageError } from '@stowage/client'
import type { ReactNode } from 'react'
import { ErrorAlert } from './error-alert.tsx'

type Kind = 'asset' | 'product' | 'webhook'

interface Props<Data> {
  query: { data: Data | undefined; error: unknown; refetch(): unknown }
  kind: Kind
  /** Why a record with this ID may not exist. */
  notFoundText: string
  children(data: Data): ReactNode
}

/** Shows one record of the service, or that it is loading, not found, or could not be loaded. */
export function LoadedRecord<Data>({ query, kind, notFoundText, children }: Props<Data>) {
  const { data, error, refetch } = query
  if (isNotFound(error)) return <NotFound kind={kind}>{notFoundText}</NotFound>
  if (error === null && data === undefined) return <LoadingRecord />
  return (
    <>
      {error !== null && (
        <ErrorAlert
          title={`Could not load this ${kind}`}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {/* A page that was loaded before stays usable, with everything that people typed. */}
      {data !== undefined && children(data)}
    </>
  )
}

/** The client rejects an ID that is not a UUID with a TypeError: no record has such an ID. */
function isNotFound(error: unknown): boolean {
  return isStowageError(error, 'not_found') || error instanceof TypeError
}

const TITLES: Record<Kind, string> = {
  asset: 'Asset not found',
  product: 'Product not found',
  webhook: 'Webhook not found',
}

function NotFound({ kind, children }: { kind: Kind; children: string }) {
  return (
    <Stack gap="xs">
      <Title order={1} size="h2">
        {TITLES[kind]}
      </Title>
      <Text c="dimmed">{children}</Text>
    </Stack>
  )
}

function LoadingRecord() {
  return (
    <Stack role="status" aria-label="Loading">
      <Skeleton h={36} w="50%" />
      <Skeleton h={240} />
    </Stack>
  )
}
