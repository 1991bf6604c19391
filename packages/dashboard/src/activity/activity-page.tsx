import { Anchor, Box, Button, Group, NativeSelect, Stack, Table, Text, Title } from '@mantine/core'
import type { StowageEvent } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from 'wouter'
import { ListTable } from '../components/lists.tsx'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { IconHistory } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import {
  type ActivityQuery,
  activityUrl,
  actorText,
  eventHref,
  eventLabel,
  eventSubject,
  KINDS,
  type Kind,
  readActivityQuery,
} from './events.ts'

const PER_PAGE = 50

/** Who did what, and when: the newest events first. */
export function ActivityPage() {
  useTitle('Activity')
  const query = readActivityQuery(useSearch())
  const { kind, before } = query
  const [, navigate] = useLocation()
  const { data, error, isPlaceholderData, refetch } = useEvents(query)
  const events = data?.data
  const isEmpty = events?.length === 0
  const last = events?.at(-1)?.id ?? 0
  const maySeeKeys = useHasScope('manage')
  const kinds = Object.entries(KINDS).filter(([value]) => value !== 'keys' || maySeeKeys)
  const show = (next: Kind) => navigate(activityUrl({ kind: next, before: 0 }))
  return (
    <Stack gap="md">
      <Group justify="space-between" mih={36}>
        <Title order={1} size="h2">
          Activity
        </Title>
        <NativeSelect
          aria-label="Show"
          data={kinds.map(([value, { label }]) => ({ value, label }))}
          value={kind}
          onChange={({ currentTarget }) => show(currentTarget.value as Kind)}
        />
      </Group>
      {error !== null && (
        <ErrorAlert
          title="Could not load the activity"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {isEmpty && kind !== 'all' && (
        <NoMatch title="No matching activity" onClear={() => show('all')} />
      )}
      {isEmpty && kind === 'all' && (
        <EmptyState Icon={IconHistory} color="dimmed" title="No activity yet">
          <Text c="dimmed">Uploads, changes and deletions are listed here.</Text>
        </EmptyState>
      )}
      {!isEmpty && (data !== undefined || error === null) && (
        <EventTable events={events} isStale={isPlaceholderData} />
      )}
      <Group justify="flex-end" component="nav" aria-label="Pages of the activity">
        {before > 0 && (
          <Button component={Link} variant="default" href={activityUrl({ kind, before: 0 })}>
            Newest
          </Button>
        )}
        {data?.meta.has_more && (
          <Button component={Link} variant="default" href={activityUrl({ kind, before: last })}>
            Older
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function useEvents({ kind, before }: ActivityQuery) {
  const client = useClient()
  const { types } = KINDS[kind]
  return useQuery({
    queryKey: queryKeys.events(kind, before),
    queryFn: ({ signal }) =>
      client.listEvents({
        order: 'desc',
        limit: PER_PAGE,
        ...(types.length > 0 && { type: types.join(',') }),
        ...(before > 0 && { before }),
        signal,
      }),
    placeholderData: keepPreviousData,
  })
}

interface EventTableProps {
  /** Undefined while the first page is loading. */
  events: readonly StowageEvent[] | undefined
  isStale: boolean
}

function EventTable({ events, isStale }: EventTableProps) {
  return (
    <ListTable
      items={events}
      isStale={isStale}
      head={
        <>
          <Table.Th>What</Table.Th>
          <Table.Th visibleFrom="sm">Who</Table.Th>
          <Table.Th visibleFrom="sm">When</Table.Th>
        </>
      }
      row={(event) => <EventRow key={event.id} event={event} />}
    />
  )
}

function EventRow({ event }: { event: StowageEvent }) {
  const subject = eventSubject(event)
  const href = eventHref(event)
  const who = actorText(event)
  const when = <DateTime value={event.created_at} />
  return (
    <tr>
      <Box component="td" maw={0} w="100%">
        <Box fz="sm">{eventLabel(event)}</Box>
        {subject !== '' && (
          <Box fz="sm" fw={500}>
            {href === undefined ? (
              <Name isWrapped>{subject}</Name>
            ) : (
              <Anchor component={Link} href={href} inherit>
                <Name isWrapped>{subject}</Name>
              </Anchor>
            )}
          </Box>
        )}
        <Box hiddenFrom="sm" fz="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
          <bdi dir="auto">{who}</bdi> · {when}
        </Box>
      </Box>
      <Box component="td" visibleFrom="sm" maw={240}>
        <Name>{who}</Name>
      </Box>
      <Box component="td" visibleFrom="sm">
        {when}
      </Box>
    </tr>
  )
}
