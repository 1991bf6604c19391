import { Group, SegmentedControl, Stack, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense, useCallback, useEffect } from 'react'
import { ErrorAlert } from '../components/error-alert.tsx'
import { FilterInput } from '../components/filter-input.tsx'
import { FilterPill } from '../components/filter-pill.tsx'
import { NoMatch } from '../components/no-match.tsx'
import { PageLinks } from '../components/page-links.tsx'
import { ResultCount } from '../components/result-count.tsx'
import { useRestoredScroll } from '../components/use-restored-scroll.ts'
import { useTitle } from '../components/use-title.ts'
import { useUrlQuery } from '../components/use-url-query.ts'
import { IconSearch } from '../icons/icons.ts'
import { RequireScope, useHasScope } from '../session/require-scope.tsx'
import { ChooseFiles } from '../uploads/choose-files.tsx'
import { AddLink } from './add-link.tsx'
import {
  type AssetQuery,
  assetsUrl,
  isFiltered,
  NO_FILTERS,
  nextSort,
  readAssetQuery,
  type Show,
} from './asset-query.ts'
import { AssetSort } from './asset-sort.tsx'
import { AssetTable } from './asset-table.tsx'
import { FirstUse } from './first-use.tsx'
import { ProductFilter, ProductFilterButton } from './product-filter.tsx'
import { useAssetPage } from './use-asset-page.ts'
import { useSelection } from './use-selection.ts'

/** Loaded when the first asset is selected. */
const SelectionBar = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.SelectionBar })),
)

/** Loaded when it is opened. */
const UploadToProducts = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.UploadToProducts })),
)

const SHOW_OPTIONS: { value: Show; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'files', label: 'Files' },
  { value: 'urls', label: 'URLs' },
  { value: 'no-product', label: 'No product' },
]

export function AssetsPage() {
  useTitle('Assets')
  const { query, change } = useUrlQuery(readAssetQuery, assetsUrl)
  const { search, show, product, path, sort, page } = query
  const { data, error, isPlaceholderData, refetch } = useAssetPage(query)
  const selection = useSelection(data?.data ?? [])
  const { clear } = selection
  const canWrite = useHasScope('write')
  const [isAddingLink, addingLink] = useDisclosure()
  const [isChoosingProducts, choosingProducts] = useDisclosure()

  const onSearch = useCallback(
    (text: string, isFirst: boolean) => change({ search: text }, { replace: !isFirst }),
    [change],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: another search or filter clears the selection
  useEffect(clear, [search, show, product, path, clear])

  const lastPage = data?.meta.last_page ?? page
  const isPastEnd = data !== undefined && !isPlaceholderData && page > lastPage
  useEffect(() => {
    // All assets of the last page were deleted.
    if (isPastEnd) change({ page: lastPage }, { replace: true })
  }, [isPastEnd, lastPage, change])

  useRestoredScroll('/', data !== undefined)

  const isEmpty = data !== undefined && data.meta.total === 0
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Assets
        </Title>
        <RequireScope scope="write">
          <ChooseFiles onLink={addingLink.open} onChooseProducts={choosingProducts.open} />
        </RequireScope>
      </Group>
      <Group gap="sm">
        <FilterInput
          label="Search assets"
          placeholder="Search files, products and SKUs"
          isMain
          value={search}
          onValue={onSearch}
          flex={1}
          miw={{ base: '100%', sm: 180 }}
          leftSection={<IconSearch size={16} aria-hidden />}
        />
        <AssetSort sort={sort} onSort={(value) => change({ sort: value })} />
        <ProductFilterButton onChoose={(id) => change({ product: `${id}` })} />
        <SegmentedControl
          w={{ base: '100%', sm: 'auto' }}
          aria-label="Show"
          data={SHOW_OPTIONS}
          value={show}
          onChange={(value) => change({ show: value as Show })}
        />
      </Group>
      {product !== '' && (
        <ProductFilter productId={Number(product)} onClear={() => change({ product: '' })} />
      )}
      {path !== '' && (
        <FilterPill
          label="Folder"
          clearLabel="Show the assets of all folders"
          onClear={() => change({ path: '' })}
        >
          {path}
        </FilterPill>
      )}
      <ResultCount
        total={isPlaceholderData ? undefined : data?.meta.total}
        noun="asset"
        isFiltered={isFiltered(query)}
      />
      {error !== null && (
        <ErrorAlert
          title="Could not load the assets"
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {isEmpty && isFiltered(query) && (
        <NoMatch
          title="No matching assets"
          filters={filterTexts(query)}
          onClear={() => change(NO_FILTERS)}
        />
      )}
      {isEmpty && !isFiltered(query) && <FirstUse />}
      {!isEmpty && (data !== undefined || error === null) && (
        <AssetTable
          assets={data?.data}
          isStale={isPlaceholderData}
          sort={sort}
          onSort={(field) => change({ sort: nextSort(sort, field) })}
          selection={canWrite ? selection : undefined}
        />
      )}
      {data !== undefined && !isEmpty && (
        <PageLinks
          label="Pages of assets"
          current={page}
          meta={data.meta}
          hrefOf={(number) => assetsUrl({ ...query, page: number })}
        />
      )}
      <AddLink isOpen={isAddingLink} onClose={addingLink.close} />
      <Suspense>
        {isChoosingProducts && <UploadToProducts isOpen onClose={choosingProducts.close} />}
      </Suspense>
      {selection.selected.size > 0 && (
        <Suspense>
          <SelectionBar selection={selection} query={query} total={data?.meta.total ?? 0} />
        </Suspense>
      )}
    </Stack>
  )
}

/** The active filters, without the search. */
function filterTexts({ show, product, path }: AssetQuery): string[] {
  const label = show === 'all' ? '' : SHOW_OPTIONS.find(({ value }) => value === show)?.label
  return [label, product && 'Product', path && `Folder ${path}`].flatMap((text) => text || [])
}
