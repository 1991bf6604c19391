import { Group, NativeSelect, TextInput } from '@mantine/core'
import type { StowageEvent } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useCallback } from 'react'
import { FilterInput } from '../components/filters.tsx'
import { activity } from '../i18n/en/activity.ts'
import { fill } from '../i18n/texts.ts'
import { IconSearch } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { type ActivityQuery, dayText } from './activity-query.ts'
import { actionChoices, actorFilter, actorText, choiceLabel } from './events.ts'

interface ActivityFiltersProps {
  query: ActivityQuery
  people: readonly Person[]
  onChange(changes: Partial<ActivityQuery>, options?: { replace: boolean }): void
}

export function ActivityFilters({ query, people, onChange }: ActivityFiltersProps) {
  const maySeeKeys = useHasScope('manage')
  const { search, show, actor, from, to } = query
  const onSearch = useCallback(
    (text: string, isFirst: boolean) => onChange({ search: text }, { replace: !isFirst }),
    [onChange],
  )
  return (
    <Group gap="sm">
      <FilterInput
        label={activity.search}
        placeholder={activity.searchHint}
        isMain
        value={search}
        onValue={onSearch}
        flex={1}
        miw={{ base: '100%', sm: 220 }}
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <NativeSelect
        aria-label={activity.action}
        flex={{ base: '1 1 180px', sm: 'none' }}
        data={[{ value: '', label: activity.allActions }, ...actionChoices(maySeeKeys)]}
        value={show}
        onChange={({ currentTarget }) => onChange({ show: currentTarget.value })}
      />
      <NativeSelect
        aria-label={activity.person}
        flex={{ base: '1 1 180px', sm: 'none' }}
        maw={{ sm: 220 }}
        data={[{ value: '', label: activity.everyone }, ...people]}
        value={actor}
        onChange={({ currentTarget }) => onChange({ actor: currentTarget.value })}
      />
      <Group gap="sm" w={{ base: '100%', sm: 'auto' }}>
        <DayInput label={activity.from} value={from} onDay={(day) => onChange({ from: day })} />
        <DayInput label={activity.to} value={to} onDay={(day) => onChange({ to: day })} />
      </Group>
    </Group>
  )
}

interface DayInputProps {
  label: string
  value: string
  onDay(day: string): void
}

function DayInput({ label, value, onDay }: DayInputProps) {
  return (
    <TextInput
      type="date"
      aria-label={label}
      flex={1}
      miw={190}
      leftSection={label}
      leftSectionWidth={48}
      leftSectionProps={{ 'aria-hidden': true, style: { fontSize: 'var(--mantine-font-size-sm)' } }}
      value={value}
      onChange={({ currentTarget }) => onDay(currentTarget.value)}
    />
  )
}

export interface Person {
  value: string
  label: string
}

/** Who can be chosen: the keys, if the key in use may list them, everyone who has an event on the page, and the types. */
export function usePeople(events: readonly StowageEvent[], chosen: string): Person[] {
  const client = useClient()
  const maySeeKeys = useHasScope('manage')
  const { data: keys = [] } = useQuery({
    queryKey: queryKeys.apiKeys(),
    queryFn: ({ signal }) => client.keys({ signal }),
    enabled: maySeeKeys,
  })
  const people = new Map<string, string>()
  for (const { id, name, revoked_at } of keys) {
    people.set(id, revoked_at === null ? name : fill(activity.revokedKey, { name }))
  }
  for (const event of events) {
    if (event.actor.type === 'key' && !people.has(actorFilter(event))) {
      people.set(actorFilter(event), actorText(event))
    }
  }
  for (const type of ['upload_token', 'anonymous', 'job', 'operator'] as const)
    people.set(type, activity.actors[type])
  if (chosen !== '' && !people.has(chosen)) people.set(chosen, chosen.replace(/^key:/, ''))
  return [...people].map(([value, label]) => ({ value, label }))
}

/** The active filters, for readers. */
export function filterTexts(query: ActivityQuery, people: readonly Person[]): string[] {
  const { search, show, actor, from, to } = query
  const who = people.find(({ value }) => value === actor)?.label ?? actor
  return [
    ...(search === '' ? [] : [fill(activity.bySearch, { text: search })]),
    ...(show === '' ? [] : [fill(activity.bySearch, { text: choiceLabel(show) })]),
    ...(actor === '' ? [] : [fill(activity.byActor, { name: who })]),
    ...(from === '' ? [] : [fill(activity.fromDay, { date: dayText(from) })]),
    ...(to === '' ? [] : [fill(activity.untilDay, { date: dayText(to) })]),
  ]
}
