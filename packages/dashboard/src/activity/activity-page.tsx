import { Button, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useSearch } from 'wouter'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorAlert } from '../components/error-alert.tsx'
import { NoMatch } from '../components/no-match.tsx'
import { useTitle } from '../components/use-title.ts'
import { IconHistory } from '../icons/icons.ts'
import { useHasScope } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import {
  type ActivityQuery,
  activityUrl,
  KINDS,
  type Kind,
  readActivityQuery,
} from './activity-query.ts'
import { EventTable } from './event-table.tsx'

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
    queryKey: ['events', kind, before],
    queryFn: ({ signal }) =>
      client.listEvents({
        order: 'desc',
        limit: PER_PAGE,
        ...(types !== '' && { type: types }),
        ...(before > 0 && { before }),
        signal,
      }),
    placeholderData: keepPreviousData,
  })
}
