import { Group, SegmentedControl, Stack, Title, VisuallyHidden } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useCallback, useEffect } from 'react'
import { NoMatch } from '../components/empty-state.tsx'
import { Problem } from '../components/error-alert.tsx'
import { FilterInput } from '../components/filter-input.tsx'
import { PageLinks } from '../components/page-links.tsx'
import { useTitle } from '../components/use-title.ts'
import { useAddressQuery } from '../components/use-url-query.ts'
import { countText } from '../format/count-text.ts'
import { May, useMay } from '../session/require-scope.tsx'
import { ChooseFiles } from '../uploads/choose-files.tsx'
import { openAddLink } from './add-link.tsx'
import { assetsAddress, isFiltered, nextSort, readAssetQuery, type Show } from './asset-query.ts'
import { AssetSort } from './asset-sort.tsx'
import { AssetTable } from './asset-table.tsx'
import { FirstUse } from './first-use.tsx'
import { useAssetPage } from './use-asset-page.ts'
import { useSelection } from './use-selection.ts'

/** Loaded once somebody picks something. */
const SelectionBar = lazy(() =>
  import('./selection-bar.tsx').then((it) => ({ default: it.SelectionBar })),
)

const SHOWN: { value: Show; label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'files', label: 'Files' },
  { value: 'links', label: 'Links' },
  { value: 'unlinked', label: 'Unlinked' },
]

export function AssetsPage() {
  useTitle('Assets')
  const { query, change } = useAddressQuery(readAssetQuery, assetsAddress)
  const { search, show, sort, page } = query
  const { data, error, isPlaceholderData, refetch } = useAssetPage(query)
  const selection = useSelection(data?.data ?? [])
  const { clear } = selection
  const mayWrite = useMay('write')

  const onSearch = useCallback(
    (wanted: string, isFirst: boolean) => change({ search: wanted }, { replace: !isFirst }),
    [change],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: what was picked among others is let go
  useEffect(clear, [search, show, clear])

  const lastPage = data?.meta.last_page ?? page
  const isPastEnd = data !== undefined && !isPlaceholderData && page > lastPage
  useEffect(() => {
    // The last ones of the last page were deleted.
    if (isPastEnd) change({ page: lastPage }, { replace: true })
  }, [isPastEnd, lastPage, change])

  const isEmpty = data !== undefined && data.meta.total === 0
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Assets
        </Title>
        <May scope="write">
          <ChooseFiles onLink={openAddLink} />
        </May>
      </Group>
      <Group gap="sm">
        <FilterInput
          label="Search by name"
          value={search}
          onValue={onSearch}
          flex={1}
          miw={180}
          leftSection={<IconSearch size={16} aria-hidden />}
        />
        <AssetSort sort={sort} onSort={(wanted) => change({ sort: wanted })} />
        <SegmentedControl
          w={{ base: '100%', sm: 'auto' }}
          aria-label="Show"
          data={SHOWN}
          value={show}
          onChange={(value) => change({ show: value as Show })}
        />
      </Group>
      <VisuallyHidden role="status">
        {isFiltered(query) &&
          data !== undefined &&
          !isPlaceholderData &&
          `${countText(data.meta.total, 'asset')} found`}
      </VisuallyHidden>
      {error !== null && (
        <Problem title="The assets can’t be read" error={error} onRetry={() => void refetch()} />
      )}
      {isEmpty && isFiltered(query) && (
        <NoMatch title="No asset matches" onClear={() => change({ search: '', show: 'all' })} />
      )}
      {isEmpty && !isFiltered(query) && <FirstUse />}
      {!isEmpty && (data !== undefined || error === null) && (
        <AssetTable
          assets={data?.data}
          isStale={isPlaceholderData}
          sort={sort}
          onSort={(field) => change({ sort: nextSort(sort, field) })}
          selection={mayWrite ? selection : undefined}
        />
      )}
      {data !== undefined && !isEmpty && (
        <PageLinks
          label="Pages of assets"
          current={page}
          meta={data.meta}
          hrefOf={(wanted) => assetsAddress({ ...query, page: wanted })}
        />
      )}
      {selection.chosen.size > 0 && (
        <Suspense>
          <SelectionBar selection={selection} />
        </Suspense>
      )}
    </Stack>
  )
}
