import { Anchor, Box, Button, Table, UnstyledButton } from '@mantine/core'
import type { StowageEvent } from '@stowage/client'
import { type ReactNode, useId, useState } from 'react'
import { Link } from 'wouter'
import { ListTable } from '../components/lists.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { activity } from '../i18n/en/activity.ts'
import { plural, rich } from '../i18n/texts.ts'
import { IconChevronDown, IconChevronRight } from '../icons/icons.tsx'
import {
  actorFilter,
  actorText,
  eventChange,
  eventHref,
  eventLabel,
  eventSubject,
  groupLabel,
} from './events.ts'
import type { ActivityRow } from './load-activity.ts'

interface ActivityTableProps {
  /** Undefined while the first page is loading. */
  rows: readonly ActivityRow[] | undefined
  isStale: boolean
  /** The page with what this actor did. */
  actorHref(actor: string): string
}

export function ActivityTable({ rows, isStale, actorHref }: ActivityTableProps) {
  const actors = new Set(rows?.map(({ events }) => events[0].actor.type))
  // In a service without keys, nobody has a name.
  const hasKeys = actors.has('key') || actors.has('upload_token')
  const hasWho = rows === undefined || actors.size > 1 || !actors.has('anonymous')
  const who = (event: StowageEvent) =>
    (hasKeys || event.actor.type !== 'anonymous') && (
      <Anchor component={Link} href={actorHref(actorFilter(event))} c="inherit" inherit>
        <Name>{actorText(event)}</Name>
      </Anchor>
    )
  return (
    <ListTable
      items={rows}
      isStale={isStale}
      head={
        <>
          <Table.Th>{activity.what}</Table.Th>
          {hasWho && <Table.Th visibleFrom="sm">{activity.who}</Table.Th>}
          <Table.Th visibleFrom="sm">{activity.when}</Table.Th>
        </>
      }
      row={(row) => <ActivityTableRow key={row.key} row={row} hasWho={hasWho} who={who} />}
    />
  )
}

interface ActivityTableRowProps {
  row: ActivityRow
  hasWho: boolean
  who(event: StowageEvent): ReactNode
}

function ActivityTableRow({ row, hasWho, who }: ActivityTableRowProps) {
  const { events } = row
  const [event] = events
  const when = <DateTime value={event.created_at} hasSeconds />
  const name = who(event)
  const plainName = name && <bdi dir="auto">{actorText(event)}</bdi>
  return (
    <tr>
      <Box component="td" maw={0} w="100%">
        {events.length > 1 ? <EventGroup row={row} /> : <EventText event={event} />}
        <Box hiddenFrom="sm" fz="xs" c="dimmed" style={{ whiteSpace: 'normal' }}>
          {plainName}
          {name && ' · '}
          {when}
        </Box>
      </Box>
      {hasWho && (
        <Box component="td" visibleFrom="sm" maw={240} style={{ verticalAlign: 'top' }}>
          {name}
        </Box>
      )}
      <Box component="td" visibleFrom="sm" style={{ verticalAlign: 'top', whiteSpace: 'nowrap' }}>
        {when}
      </Box>
    </tr>
  )
}

function EventText({ event }: { event: StowageEvent }) {
  const subject = eventSubject(event)
  return (
    <>
      <Box fz="sm" style={{ whiteSpace: 'normal', overflowWrap: 'anywhere' }}>
        <Change event={event} />
      </Box>
      {subject !== '' && (
        <Box fz="sm" fw={500}>
          <SubjectLink event={event} />
        </Box>
      )}
    </>
  )
}

/** What happened, with the previous name, before the line with the new one; or the folders of an asset that was moved. */
function Change({ event }: { event: StowageEvent }) {
  const label = eventLabel(event)
  const change = eventChange(event)
  if (change === undefined) return label
  const from = <bdi dir="auto">{change.from}</bdi>
  if (change.to === undefined) return rich(activity.changeTo, { label, from })
  return rich(activity.changeFromTo, { label, from, to: <bdi dir="auto">{change.to}</bdi> })
}

function SubjectLink({ event }: { event: StowageEvent }) {
  const href = eventHref(event)
  const name = <Name isWrapped>{eventSubject(event)}</Name>
  if (href === undefined) return name
  return (
    <Anchor component={Link} href={href} inherit>
      {name}
    </Anchor>
  )
}

const ITEMS_PER_STEP = 100

/** What one call did to several resources: one row, which opens to them. */
function EventGroup({ row: { events, isMore } }: { row: ActivityRow }) {
  const [count, setCount] = useState(0)
  const id = useId()
  const isOpen = count > 0
  const Icon = isOpen ? IconChevronDown : IconChevronRight
  const remaining = events.length - count
  return (
    <>
      <UnstyledButton
        fz="sm"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setCount(isOpen ? 0 : ITEMS_PER_STEP)}
      >
        <Icon size={16} aria-hidden style={{ verticalAlign: 'text-bottom' }} />{' '}
        {groupLabel(events, isMore)}
      </UnstyledButton>
      {isOpen && (
        <Box component="ul" id={id} my={4} ps="lg" fz="sm" style={{ listStyle: 'none' }}>
          {events.slice(0, count).map((event) => (
            <li key={event.id}>
              <SubjectLink event={event} />
            </li>
          ))}
          {remaining > 0 && (
            <li>
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => setCount(count + ITEMS_PER_STEP)}
              >
                {plural(activity.showMore, Math.min(remaining, ITEMS_PER_STEP))}
              </Button>
            </li>
          )}
        </Box>
      )}
    </>
  )
}
