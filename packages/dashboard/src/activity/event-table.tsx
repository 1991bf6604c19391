import { Anchor, Box, Skeleton, Table } from '@mantine/core'
import type { StowageEvent } from '@stowage/client'
import { Link } from 'wouter'
import { DateTime } from '../components/date-time.tsx'
import { ListTable } from '../components/list-table.tsx'
import { Name } from '../components/name.tsx'
import { actorText, eventHref, eventLabel, eventSubject } from './event-text.ts'

interface Props {
  /** Undefined while the first page is loading. */
  events: readonly StowageEvent[] | undefined
  isStale: boolean
}

export function EventTable({ events, isStale }: Props) {
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
      skeletonRow={(width) => (
        <Table.Tr>
          <Table.Td colSpan={3}>
            <Skeleton w={`${width}%`} h={16} my={3} />
          </Table.Td>
        </Table.Tr>
      )}
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
