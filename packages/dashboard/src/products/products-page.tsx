import {
  Button,
  Code,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ProductGroup } from '@stowage/client'
import { useCallback, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { FilterInput, useUrlQuery } from '../components/filters.tsx'
import { useRestoredScroll } from '../components/list-position.tsx'
import { PageLinks, ResultCount } from '../components/lists.tsx'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { IconFileImport, IconFilter, IconSearch, IconTag } from '../icons/icons.tsx'
import { RequireScope, useHasScope } from '../session/account.tsx'
import { DeleteProduct } from './delete-product.tsx'
import {
  activeFilters,
  NO_FILTERS,
  nextSort,
  type ProductQuery,
  productsUrl,
  readProductQuery,
  type Show,
  type Sort,
  type TextFilter,
} from './product-query.ts'
import { ProductTable } from './product-table.tsx'
import classes from './products-page.module.css'
import { useProductPage } from './use-products.ts'

export function ProductsPage() {
  useTitle('Products')
  const { query, change } = useUrlQuery(readProductQuery, productsUrl)
  const { data, error, isPlaceholderData, refetch } = useProductPage(query)
  const [deleting, setDeleting] = useState<ProductGroup>()
  const canWrite = useHasScope('write')
  const total = data?.meta.total
  const last = data?.meta.last_page ?? 1
  const filters = activeFilters(query)
  const isFiltered = filters.length > 0

  useEffect(() => {
    // All products of the last page were deleted, or the URL is old.
    if (!isPlaceholderData && query.page > last && data !== undefined) {
      change({ page: last }, { replace: true })
    }
  }, [query.page, last, data, isPlaceholderData, change])

  useRestoredScroll('/products', data !== undefined)

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Products
        </Title>
        <RequireScope scope="write">
          <Button
            component={Link}
            href="/products/import"
            leftSection={<IconFileImport size={18} aria-hidden />}
          >
            Import
          </Button>
        </RequireScope>
      </Group>
      {(total !== 0 || isFiltered) && <ProductFilters query={query} change={change} />}
      <ResultCount
        total={isPlaceholderData ? undefined : total}
        noun="products"
        isFiltered={isFiltered}
      />
      {error !== null && (
        <ErrorAlert
          title="Could not load the products"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {error === null && total === 0 && isFiltered && (
        <NoMatch title="No matching products" onClear={() => change(NO_FILTERS)} />
      )}
      {error === null && total === 0 && !isFiltered && <FirstProducts />}
      {error === null && total !== 0 && (
        <ProductTable
          products={data?.data}
          isStale={isPlaceholderData}
          sort={query.sort}
          onSort={(field) => change({ sort: nextSort(query.sort, field) })}
          isWithoutFiles={filters.join() === 'show'}
          onDelete={canWrite ? setDeleting : undefined}
        />
      )}
      {data !== undefined && total !== 0 && error === null && (
        <PageLinks
          label="Pages of products"
          current={query.page}
          meta={data.meta}
          hrefOf={(page) => productsUrl({ ...query, page })}
        />
      )}
      <DeleteProduct product={deleting} onClose={() => setDeleting(undefined)} />
    </Stack>
  )
}

interface ProductFiltersProps {
  query: ProductQuery
  change(changes: Partial<ProductQuery>, options?: { replace: boolean }): void
}

const SHOW_OPTIONS: { value: Show; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'without-files', label: 'Without files' },
]

const SORT_OPTIONS: { value: Sort; label: string }[] = [
  { value: '-product_id', label: 'Highest ID first' },
  { value: 'name', label: 'Name A–Z' },
  { value: '-name', label: 'Name Z–A' },
  { value: 'sku', label: 'SKU A–Z' },
  { value: '-sku', label: 'SKU Z–A' },
]

const MORE_FILTERS: [TextFilter, string][] = [
  ['sku', 'Exact SKU'],
  ['vendor', 'Vendor'],
  ['tag', 'Tag'],
]

/** On a phone, most filters are hidden behind a button, and the order is chosen here instead of in the table. */
function ProductFilters({ query, change }: ProductFiltersProps) {
  const hidden: string[] = MORE_FILTERS.map(([filter]) => filter)
  const active = activeFilters(query).filter((filter) => hidden.includes(filter)).length
  const [isOpen, { toggle }] = useDisclosure(active > 0)
  return (
    <Group gap="sm" component="search">
      <Filter
        filter="search"
        label="Search products"
        isMain
        query={query}
        change={change}
        flex={1}
        miw={180}
        leftSection={<IconSearch size={16} aria-hidden />}
      />
      <Button
        hiddenFrom="sm"
        variant="default"
        leftSection={<IconFilter size={16} aria-hidden />}
        aria-expanded={isOpen}
        aria-controls="more-filters"
        onClick={toggle}
      >
        {active > 0 ? `Filters: ${active}` : 'Filters'}
      </Button>
      <div id="more-filters" className={classes.more} data-open={isOpen || undefined}>
        {MORE_FILTERS.map(([filter, label]) => (
          <Filter key={filter} filter={filter} label={label} query={query} change={change} />
        ))}
      </div>
      <NativeSelect
        hiddenFrom="sm"
        w={160}
        aria-label="Sort"
        data={SORT_OPTIONS}
        value={query.sort}
        onChange={({ currentTarget }) => change({ sort: currentTarget.value as Sort })}
      />
      <SegmentedControl
        w={{ base: '100%', sm: 'auto' }}
        aria-label="Show"
        data={SHOW_OPTIONS}
        value={query.show}
        onChange={(value) => change({ show: value as Show })}
      />
    </Group>
  )
}

type FilterProps = ProductFiltersProps & { filter: TextFilter; label: string } & Omit<
    Parameters<typeof FilterInput>[0],
    'value' | 'onValue'
  >

function Filter({ filter, query, change, ...props }: FilterProps) {
  const onValue = useCallback(
    (value: string, isFirst: boolean) => change({ [filter]: value }, { replace: !isFirst }),
    [change, filter],
  )
  return <FilterInput value={query[filter]} onValue={onValue} {...props} />
}

/** Replaces the list while the account has no products. */
function FirstProducts() {
  if (!useHasScope('write'))
    return <EmptyState Icon={IconTag} color="dimmed" title="No products yet" />
  return (
    <EmptyState Icon={IconTag} color="anchor" title="Import your products">
      <Text c="dimmed">
        Then you can attach assets to them. Import a file from your shop, or send products from your
        backend with <Code>PUT /api/v1/products</Code>.
      </Text>
      <Button
        component={Link}
        href="/products/import"
        mt="sm"
        leftSection={<IconFileImport size={18} aria-hidden />}
      >
        Import products
      </Button>
    </EmptyState>
  )
}
