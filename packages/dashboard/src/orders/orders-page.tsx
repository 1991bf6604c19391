import { Button, Code, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useCallback } from 'react'
import { Link } from 'wouter'
import { FilterInput, useUrlQuery } from '../components/filters.tsx'
import { useExistingPage, useRestoredScroll } from '../components/list-position.tsx'
import { PageLinks, ResultCount } from '../components/lists.tsx'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { orders as texts } from '../i18n/en/orders.ts'
import { rich } from '../i18n/texts.ts'
import { IconSearch, IconShoppingCart } from '../icons/icons.tsx'
import {
  NO_FILTERS,
  nextSort,
  type OrderQuery,
  ordersUrl,
  readOrderQuery,
  SORTS,
  STATUSES,
} from './order-query.ts'
import { OrderTable } from './order-table.tsx'
import { ShareButton } from './share-button.tsx'
import { useOrderPage } from './use-orders.ts'

export function OrdersPage() {
  useTitle(texts.title)
  const { query, change } = useUrlQuery(readOrderQuery, ordersUrl)
  const { data, error, isPlaceholderData, refetch } = useOrderPage(query)
  const total = data?.meta.total
  const isFiltered = query.search !== '' || query.status !== ''

  useExistingPage(query.page, { data, isPlaceholderData }, change)

  useRestoredScroll('/orders', data !== undefined)

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        <Group gap="xs">
          <Button component={Link} href="/orders/downloads" variant="default">
            {texts.statistics}
          </Button>
          <ShareButton variant="filled" />
        </Group>
      </Group>
      {(total !== 0 || isFiltered) && <OrderFilters query={query} change={change} />}
      <ResultCount
        total={isPlaceholderData ? undefined : total}
        noun="orders"
        isFiltered={isFiltered}
      />
      {error !== null && (
        <ErrorAlert title={texts.loadFailed} error={error} onRetry={() => void refetch()} />
      )}
      {error === null && total === 0 && isFiltered && (
        <NoMatch title={texts.noMatch} onClear={() => change(NO_FILTERS)} />
      )}
      {error === null && total === 0 && !isFiltered && (
        <EmptyState Icon={IconShoppingCart} color="dimmed" title={texts.none}>
          <Text c="dimmed">{rich(texts.noneHint, { call: <Code>POST /api/v1/orders</Code> })}</Text>
        </EmptyState>
      )}
      {error === null && total !== 0 && (
        <OrderTable
          orders={data?.data}
          isStale={isPlaceholderData}
          sort={query.sort}
          onSort={(field) => change({ sort: nextSort(query.sort, field) })}
        />
      )}
      {data !== undefined && total !== 0 && error === null && (
        <PageLinks
          label={texts.pages}
          current={query.page}
          meta={data.meta}
          hrefOf={(page) => ordersUrl({ ...query, page })}
        />
      )}
    </Stack>
  )
}

interface OrderFiltersProps {
  query: OrderQuery
  change(changes: Partial<OrderQuery>, options?: { replace: boolean }): void
}

/** On a phone, the order is chosen here instead of in the table. */
function OrderFilters({ query, change }: OrderFiltersProps) {
  const onSearch = useCallback(
    (search: string, isFirst: boolean) => change({ search }, { replace: !isFirst }),
    [change],
  )
  return (
    <Group gap="sm" component="search">
      <FilterInput
        label={texts.searchLabel}
        placeholder={texts.searchHint}
        isMain
        value={query.search}
        onValue={onSearch}
        flex={1}
        miw={220}
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <NativeSelect
        aria-label={texts.status}
        data={[
          { value: '', label: texts.allStatuses },
          ...STATUSES.map((value) => ({ value, label: texts.statuses[value] })),
        ]}
        value={query.status}
        onChange={({ currentTarget }) =>
          change({ status: currentTarget.value as OrderQuery['status'] })
        }
      />
      <NativeSelect
        hiddenFrom="sm"
        aria-label={texts.sort}
        data={SORTS.map((value) => ({ value, label: texts.sorts[value] }))}
        value={query.sort}
        onChange={({ currentTarget }) =>
          change({ sort: currentTarget.value as OrderQuery['sort'] })
        }
      />
    </Group>
  )
}
