import { Anchor, Badge, Box, Group, Table } from '@mantine/core'
import type { Order } from '@stowage/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/focus.ts'
import { ListTable, SortHeader } from '../components/lists.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { orders as texts } from '../i18n/en/orders.ts'
import { useLanguage } from '../i18n/language.ts'
import { fill, plural } from '../i18n/texts.ts'
import type { Sort, SortField } from './order-query.ts'
import { OrderStatus, orderName } from './order-texts.tsx'

interface OrderTableProps {
  /** Undefined while the first page is loading. */
  orders: readonly Order[] | undefined
  /** The orders belong to the previous query, and the current one is loading. */
  isStale: boolean
  sort: Sort
  onSort(field: SortField): void
}

export function OrderTable({ orders, isStale, sort, onSort }: OrderTableProps) {
  return (
    <ListTable
      items={orders}
      isStale={isStale}
      head={
        <>
          <SortHeader field="order_number" sort={sort} onSort={onSort}>
            {texts.order}
          </SortHeader>
          <Table.Th visibleFrom="sm">{texts.buyer}</Table.Th>
          <Table.Th>{texts.status}</Table.Th>
          <Table.Th visibleFrom="sm">{texts.downloads}</Table.Th>
          <SortHeader field="ordered_at" sort={sort} onSort={onSort} visibleFrom="sm">
            {texts.ordered}
          </SortHeader>
        </>
      }
      row={(order) => <OrderRow key={order.id} order={order} />}
    />
  )
}

/** On a phone, the buyer, the downloads and the date are below the name. */
const OrderRow = memo(function OrderRow({ order }: { order: Order }) {
  useLanguage()
  const row = useFocusHandover<HTMLTableRowElement>()
  const title = orderName(order)
  const details = [order.label, order.reference].filter((it) => it !== null && it !== title)
  const buyer = [order.name, order.email].filter((it) => it !== null && it !== title)
  const ordered = <DateTime value={new Date(order.ordered_at * 1000).toISOString()} isDateOnly />
  return (
    <Table.Tr ref={row}>
      <Table.Td maw={0} w="100%" miw={140}>
        <Anchor
          component={Link}
          href={`/orders/${order.id}`}
          data-row-link
          c="inherit"
          fz="sm"
          fw={500}
          display="block"
        >
          <Name>{title}</Name>
        </Anchor>
        {details.length > 0 && (
          <Name fz="xs" c="dimmed">
            {details.join(' · ')}
          </Name>
        )}
        <Box hiddenFrom="sm" fz="xs" c="dimmed">
          {buyer.length > 0 && <Name>{buyer.join(' · ')}</Name>}
          <Group gap={4}>
            {ordered} · {plural(texts.downloadCount, order.downloads)}
          </Group>
        </Box>
      </Table.Td>
      <Table.Td visibleFrom="sm" miw={160} maw={280}>
        {buyer.map((it) => (
          <Name key={it}>{it ?? ''}</Name>
        ))}
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          <OrderStatus status={order.status} />
          {order.more_requested !== null && order.status !== 'revoked' && (
            <Badge size="sm" variant="light" miw="max-content" color="orange">
              {texts.moreRequested}
            </Badge>
          )}
        </Group>
      </Table.Td>
      <Table.Td visibleFrom="sm">{downloadsText(order)}</Table.Td>
      <Table.Td visibleFrom="sm">{ordered}</Table.Td>
    </Table.Tr>
  )
})

function downloadsText({ downloads, max_downloads: limit }: Order): string {
  return limit === null ? numberText(downloads) : fill(texts.perFile, { count: downloads, limit })
}
