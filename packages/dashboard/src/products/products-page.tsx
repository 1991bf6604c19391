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
import { useCallback, useState } from 'react'
import { Link } from 'wouter'
import { FilterInput, useUrlQuery } from '../components/filters.tsx'
import { useExistingPage, useRestoredScroll } from '../components/list-position.tsx'
import { PageLinks, ResultCount } from '../components/lists.tsx'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { products as texts } from '../i18n/en/products.ts'
import { fill, rich } from '../i18n/texts.ts'
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
  useTitle(texts.title)
  const { query, change } = useUrlQuery(readProductQuery, productsUrl)
  const { data, error, isPlaceholderData, refetch } = useProductPage(query)
  const [deleting, setDeleting] = useState<ProductGroup>()
  const canWrite = useHasScope('write')
  const total = data?.meta.total
  const filters = activeFilters(query)
  const isFiltered = filters.length > 0

  useExistingPage(query.page, { data, isPlaceholderData }, change)

  useRestoredScroll('/products', data !== undefined)

  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        <RequireScope scope="write">
          <Button
            component={Link}
            href="/products/import"
            leftSection={<IconFileImport size={18} aria-hidden />}
          >
            {texts.import}
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
        <ErrorAlert title={texts.loadFailed} error={error} onRetry={() => void refetch()} />
      )}
      {error === null && total === 0 && isFiltered && (
        <NoMatch title={texts.noMatch} onClear={() => change(NO_FILTERS)} />
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
          label={texts.pages}
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

const showOptions = (): { value: Show; label: string }[] => [
  { value: 'all', label: texts.showAll },
  { value: 'without-files', label: texts.withoutAssets },
]

const sortOptions = (): { value: Sort; label: string }[] => [
  { value: '-product_id', label: texts.order.id },
  { value: 'name', label: texts.order.name },
  { value: '-name', label: texts.order.nameDown },
  { value: 'sku', label: texts.order.sku },
  { value: '-sku', label: texts.order.skuDown },
]

const moreFilters = (): [TextFilter, string][] => [
  ['sku', texts.exactSku],
  ['vendor', texts.fields.vendor],
  ['tag', texts.tag],
]

/** On a phone, most filters are hidden behind a button, and the order is chosen here instead of in the table. */
function ProductFilters({ query, change }: ProductFiltersProps) {
  const more = moreFilters()
  const hidden: string[] = more.map(([filter]) => filter)
  const active = activeFilters(query).filter((filter) => hidden.includes(filter)).length
  const [isOpen, { toggle }] = useDisclosure(active > 0)
  return (
    <Group gap="sm" component="search">
      <Filter
        filter="search"
        label={texts.search}
        isMain
        query={query}
        change={change}
        flex={1}
        miw={{ base: '100%', sm: 180 }}
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
        {active > 0 ? fill(texts.filtersCount, { count: active }) : texts.filters}
      </Button>
      <div id="more-filters" className={classes.more} data-open={isOpen || undefined}>
        {more.map(([filter, label]) => (
          <Filter key={filter} filter={filter} label={label} query={query} change={change} />
        ))}
      </div>
      <NativeSelect
        hiddenFrom="sm"
        w="fit-content"
        aria-label={texts.sort}
        data={sortOptions()}
        value={query.sort}
        onChange={({ currentTarget }) => change({ sort: currentTarget.value as Sort })}
      />
      <SegmentedControl
        w={{ base: '100%', sm: 'auto' }}
        aria-label={texts.show}
        data={showOptions()}
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
    return <EmptyState Icon={IconTag} color="dimmed" title={texts.noProducts} />
  return (
    <EmptyState Icon={IconTag} color="anchor" title={texts.importYours}>
      <Text c="dimmed">{rich(texts.importHint, { call: <Code>PUT /api/v1/products</Code> })}</Text>
      <Button
        component={Link}
        href="/products/import"
        mt="sm"
        leftSection={<IconFileImport size={18} aria-hidden />}
      >
        {texts.importProducts}
      </Button>
    </EmptyState>
  )
}
