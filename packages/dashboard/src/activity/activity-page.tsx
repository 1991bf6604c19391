import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useMemo } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { DateTime } from '../components/values.tsx'
import { activity as texts } from '../i18n/en/activity.ts'
import { rich } from '../i18n/texts.ts'
import { IconHistory } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { ActivityFilters, filterTexts, usePeople } from './activity-filters.tsx'
import { type ActivityQuery, activityUrl, NO_FILTERS, readActivityQuery } from './activity-query.ts'
import { ActivityTable } from './activity-table.tsx'
import { type Activity, loadActivity, pageOf } from './load-activity.ts'

/** Who did what, and when: the newest events first. */
export function ActivityPage() {
  useTitle(texts.title)
  const { query, change } = useActivityQuery()
  const { data, error, isPlaceholderData, refetch } = useActivity(query)
  const page = useMemo(() => data && pageOf(data), [data])
  const people = usePeople(data?.events ?? [], query.actor)
  const filters = filterTexts(query, people)
  const isEmpty = page?.rows.length === 0
  const nextBefore = page?.nextBefore
  const clear = () => change(NO_FILTERS)
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        {texts.title}
      </Title>
      <ActivityFilters query={query} people={people} onChange={change} />
      {error !== null && (
        <ErrorAlert title={texts.loadFailed} error={error} onRetry={() => void refetch()} />
      )}
      {isEmpty && filters.length > 0 && (
        <NoMatch
          title={nextBefore === undefined ? texts.noMatch : texts.noMatchSoFar}
          filters={filters}
          onClear={clear}
        />
      )}
      {isEmpty && filters.length === 0 && (
        <EmptyState Icon={IconHistory} color="dimmed" title={texts.none}>
          <Text c="dimmed">{texts.noneHint}</Text>
        </EmptyState>
      )}
      {!isEmpty && (data !== undefined || error === null) && (
        <ActivityTable
          rows={page?.rows}
          isStale={isPlaceholderData}
          actorHref={(actor) => activityUrl({ ...query, actor, before: 0 })}
        />
      )}
      <PageLinks query={query} activity={data} nextBefore={nextBefore} />
    </Stack>
  )
}

/** Keeps the filters and the position in the URL. Another filter starts with the newest events. */
function useActivityQuery() {
  const search = useSearch()
  const [, navigate] = useLocation()
  const query = useMemo(() => readActivityQuery(search), [search])
  const change = useCallback(
    (changes: Partial<ActivityQuery>, options?: { replace: boolean }) => {
      const current = readActivityQuery(window.location.search)
      navigate(activityUrl({ ...current, before: 0, ...changes }), options)
    },
    [navigate],
  )
  return { query, change }
}

function useActivity(query: ActivityQuery) {
  const client = useClient()
  const queries = useQueryClient()
  const queryKey = queryKeys.events(query)
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const known = queries.getQueryData<Activity>(queryKey)
      return loadActivity(client, query, { known, signal })
    },
    placeholderData: keepPreviousData,
  })
}

interface PageLinksProps {
  query: ActivityQuery
  activity: Activity | undefined
  /** Undefined if there are no older events. */
  nextBefore: number | undefined
}

function PageLinks({ query, activity, nextBefore }: PageLinksProps) {
  const examinedTo = activity?.examinedTo ?? null
  const isSearch = query.search !== '' || query.actor !== ''
  return (
    <Group justify="flex-end" component="nav" aria-label={texts.pages}>
      {isSearch && nextBefore !== undefined && examinedTo !== null && (
        <Text size="sm" c="dimmed" role="status">
          {rich(texts.searchedTo, { date: <DateTime value={examinedTo} hasSeconds /> })}
        </Text>
      )}
      {query.before > 0 && (
        <Button component={Link} variant="default" href={activityUrl({ ...query, before: 0 })}>
          {texts.newest}
        </Button>
      )}
      {nextBefore !== undefined && (
        <Button
          component={Link}
          variant="default"
          href={activityUrl({ ...query, before: nextBefore })}
        >
          {isSearch ? texts.searchOlder : texts.older}
        </Button>
      )}
    </Group>
  )
}
