import { Box, Group, Paper, Skeleton, Stack, Table, Text, Title } from '@mantine/core'
import { isStowageError } from '@stowage/client'
import { type ReactNode, useId } from 'react'
import { common } from '../i18n/en/common.ts'
import { fill } from '../i18n/texts.ts'
import { ErrorAlert } from './page-states.tsx'
import classes from './sections.module.css'

type Kind = 'asset' | 'product' | 'order' | 'mail' | 'webhook'

interface LoadedRecordProps<Data> {
  query: { data: Data | undefined; error: unknown; refetch(): unknown }
  kind: Kind
  /** Why a record with this ID may not exist. */
  notFoundText: ReactNode
  children(data: Data): ReactNode
}

/** Shows one record of the service, or that it is loading, not found, or could not be loaded. */
export function LoadedRecord<Data>({
  query,
  kind,
  notFoundText,
  children,
}: LoadedRecordProps<Data>) {
  const { data, error, refetch } = query
  if (isNotFound(error)) return <RecordNotFound kind={kind}>{notFoundText}</RecordNotFound>
  if (error === null && data === undefined) return <LoadingRecord />
  return (
    <>
      {error !== null && (
        <ErrorAlert title={common.loadFailed[kind]} error={error} onRetry={() => void refetch()} />
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

function RecordNotFound({ kind, children }: { kind: Kind; children: ReactNode }) {
  return (
    <Stack gap="xs">
      <Title order={1} size="h2">
        {common.notFound[kind]}
      </Title>
      <Text c="dimmed">{children}</Text>
    </Stack>
  )
}

function LoadingRecord() {
  return (
    <Stack role="status" aria-label={common.loading}>
      <Skeleton h={36} w="50%" />
      <Skeleton h={240} />
    </Stack>
  )
}

interface LoadedSectionProps<Data> {
  query: { data: Data | undefined; error: unknown; refetch(): unknown }
  title: string
  /** A button beside the title. */
  action?: ReactNode
  children(data: Data): ReactNode
}

/** A section with its own query, which loads and fails independently of the page. */
export function LoadedSection<Data>({ query, title, action, children }: LoadedSectionProps<Data>) {
  const { data, error, refetch } = query
  return (
    <Section title={title} action={action}>
      {error !== null && (
        <ErrorAlert
          title={fill(common.loadSectionFailed, { title })}
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {error === null && data === undefined && (
        <Skeleton h={96} role="status" aria-label={common.loading} />
      )}
      {error === null && data !== undefined && children(data)}
    </Section>
  )
}

interface SectionProps {
  title: string
  /** A button beside the title. */
  action?: ReactNode
  children: ReactNode
}

/** A framed part of a page, with its own heading. */
export function Section({ title, action, children }: SectionProps) {
  const id = useId()
  return (
    <Paper component="section" withBorder p={{ base: 'md', sm: 'lg' }} aria-labelledby={id}>
      <Group justify="space-between" mb="sm" mih={action === undefined ? undefined : 36}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {action}
      </Group>
      {children}
    </Paper>
  )
}

/** A small table of facts. If it is wider than the screen, it scrolls. */
export function FactTable({ head, children }: { head: ReactNode; children: ReactNode }) {
  return (
    // While it has the focus, the arrow keys scroll it.
    <Box className={classes.scroll} tabIndex={0}>
      <Table className={classes.table} fz="sm" horizontalSpacing={6}>
        <Table.Thead>
          <Table.Tr>{head}</Table.Tr>
        </Table.Thead>
        <Table.Tbody>{children}</Table.Tbody>
      </Table>
    </Box>
  )
}

/** Names and values; each pair is a `Detail`. */
export function DetailList({ children }: { children: ReactNode }) {
  return <dl className={classes.details}>{children}</dl>
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

/** Two columns on a wide screen, otherwise one below the other. */
export function TwoColumns({ children }: { children: ReactNode }) {
  return <div className={classes.columns}>{children}</div>
}
