import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { useSelection } from '../assets/use-selection.ts'
import { EmptyState } from '../components/empty-state.tsx'
import { ErrorAlert } from '../components/error-alert.tsx'
import { FilterInput } from '../components/filter-input.tsx'
import { NoMatch } from '../components/no-match.tsx'
import { PageLinks } from '../components/page-links.tsx'
import { ResultCount } from '../components/result-count.tsx'
import { useTitle } from '../components/use-title.ts'
import { useUrlQuery } from '../components/use-url-query.ts'
import { IconSearch, IconTrash } from '../icons/icons.ts'
import { RequireScope, useHasScope } from '../session/require-scope.tsx'
import { useClient } from '../session/session.tsx'
import { useHasTrash } from '../session/use-has-trash.ts'
import { DeleteForever } from './delete-forever.tsx'
import { EmptyTrash } from './empty-trash.tsx'
import { readTrashQuery, type TrashQuery, trashFilters, trashUrl } from './trash-query.ts'
import { TrashSelectionBar } from './trash-selection-bar.tsx'
import { TrashTable } from './trash-table.tsx'

const PER_PAGE = 50

/** Deleted assets, which can be restored until they are removed. */
export function TrashPage() {
  useTitle('Trash')
  const { query, change } = useUrlQuery(readTrashQuery, trashUrl)
  const { data, error, isPlaceholderData, refetch } = useTrash(query)
  const [deleting, setDeleting] = useState<readonly Asset[]>([])
  const selection = useSelection(data?.data ?? [])
  const { clear } = selection
  const canWrite = useHasScope('write')
  const hasTrash = useHasTrash()
  const [isEmptying, emptying] = useDisclosure()
  const isFiltered = query.search !== ''
  const isEmpty = data?.meta.total === 0

  const onSearch = useCallback(
    (search: string, isFirst: boolean) => change({ search }, { replace: !isFirst }),
    [change],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: another search clears the selection
  useEffect(clear, [query.search, clear])

  const lastPage = data?.meta.last_page ?? query.page
  const isPastEnd = data !== undefined && !isPlaceholderData && query.page > lastPage
  useEffect(() => {
    // All assets of the last page were restored or deleted.
    if (isPastEnd) change({ page: lastPage }, { replace: true })
  }, [isPastEnd, lastPage, change])

  return (
    <Stack gap="md">
      <Group justify="space-between" mih={36}>
        <Title order={1} size="h2">
          Trash
        </Title>
        {!isEmpty && (
          <RequireScope scope="write">
            <Button
              variant="light"
              color="red"
              leftSection={<IconTrash size={18} aria-hidden />}
              onClick={emptying.open}
            >
              Empty trash
            </Button>
          </RequireScope>
        )}
      </Group>
      {(isFiltered || !isEmpty) && (
        <>
          <Text size="sm" c="dimmed">
            Deleted assets can be restored until the date below, or until an upload needs their
            storage. They do not count toward your plan.
          </Text>
          <FilterInput
            label="Search the trash"
            isMain
            value={query.search}
            onValue={onSearch}
            leftSection={<IconSearch size={16} aria-hidden />}
          />
        </>
      )}
      <ResultCount
        total={isPlaceholderData ? undefined : data?.meta.total}
        noun="asset"
        isFiltered={isFiltered}
      />
      {error !== null && (
        <ErrorAlert title="Could not load the trash" error={error} onRetry={() => void refetch()} />
      )}
      {isEmpty && isFiltered && (
        <NoMatch title="No matching assets" onClear={() => change({ search: '' })} />
      )}
      {isEmpty && !isFiltered && (
        <EmptyState
          Icon={IconTrash}
          color="dimmed"
          title={hasTrash ? 'The trash is empty' : 'This service has no trash'}
        >
          <Text c="dimmed">
            {hasTrash
              ? 'Assets that you delete are listed here until they are removed.'
              : 'Assets that you delete are removed immediately.'}
          </Text>
        </EmptyState>
      )}
      {!isEmpty && (data !== undefined || error === null) && (
        <TrashTable
          assets={data?.data}
          isStale={isPlaceholderData}
          selection={canWrite ? selection : undefined}
          onDelete={(asset) => setDeleting([asset])}
        />
      )}
      {data !== undefined && !isEmpty && (
        <PageLinks
          label="Pages of the trash"
          current={query.page}
          meta={data.meta}
          hrefOf={(page) => trashUrl({ ...query, page })}
        />
      )}
      {canWrite && selection.selected.size > 0 && (
        <TrashSelectionBar selection={selection} onDelete={setDeleting} />
      )}
      <DeleteForever assets={deleting} onClose={() => setDeleting([])} onDone={clear} />
      <EmptyTrash isOpen={isEmptying} onClose={emptying.close} onDone={clear} />
    </Stack>
  )
}

function useTrash(query: TrashQuery) {
  const client = useClient()
  return useQuery({
    queryKey: ['trash', query],
    queryFn: ({ signal }) =>
      client.assets({ ...trashFilters(query), limit: PER_PAGE, signal }).page(query.page),
    placeholderData: keepPreviousData,
  })
}
