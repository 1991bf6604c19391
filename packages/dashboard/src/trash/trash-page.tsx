import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { Asset } from '@stowage/client'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { MAX_CHANGED_AT_ONCE, useChangeAll } from '../assets/change-all.ts'
import { deleteOrRestore } from '../assets/change-assets.ts'
import { DeleteAll, Names } from '../assets/delete-assets.tsx'
import { type Selection, SelectionPaper, useSelection } from '../assets/selection.tsx'
import { useRestoreAssets } from '../assets/use-asset-changes.ts'
import { ConfirmDialog } from '../components/dialogs.tsx'
import { FilterInput, useUrlQuery } from '../components/filters.tsx'
import { useKey } from '../components/focus.ts'
import { useExistingPage } from '../components/list-position.tsx'
import { PageLinks, ResultCount } from '../components/lists.tsx'
import { notify } from '../components/notifications.tsx'
import { useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { firstWords, readPage, readText } from '../components/url-query.ts'
import { errorText, nameWithFolder } from '../format.ts'
import { activity } from '../i18n/en/activity.ts'
import { trash } from '../i18n/en/trash.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { IconRestore, IconSearch, IconTrash, IconTrashX } from '../icons/icons.tsx'
import { changedBy, queryKeys } from '../query-keys.ts'
import { RequireScope, useHasScope, useHasTrash } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { TrashTable } from './trash-table.tsx'

const PER_PAGE = 50
/** The activity names who deleted what. */
const DELETIONS_URL = '/activity?show=asset.deleted'

/** Deleted assets, which can be restored until they are removed. */
export function TrashPage() {
  useTitle(trash.title)
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

  useExistingPage(query.page, { data, isPlaceholderData }, change)

  return (
    <Stack gap="md">
      <Group justify="space-between" mih={36}>
        <Title order={1} size="h2">
          {trash.title}
        </Title>
        {!isEmpty && (
          <RequireScope scope="write">
            <Button
              variant="light"
              color="red"
              leftSection={<IconTrash size={18} aria-hidden />}
              onClick={emptying.open}
            >
              {trash.empty}
            </Button>
          </RequireScope>
        )}
      </Group>
      {(isFiltered || !isEmpty) && (
        <>
          <Text size="sm" c="dimmed">
            {trash.intro}{' '}
            {rich(trash.whoHint, {
              activity: (
                <Anchor component={Link} href={DELETIONS_URL} underline="always" inherit>
                  {activity.title}
                </Anchor>
              ),
            })}
          </Text>
          <FilterInput
            label={trash.search}
            isMain
            value={query.search}
            onValue={onSearch}
            leftSection={<IconSearch size={16} aria-hidden />}
          />
        </>
      )}
      <ResultCount
        total={isPlaceholderData ? undefined : data?.meta.total}
        noun="assets"
        isFiltered={isFiltered}
      />
      {error !== null && (
        <ErrorAlert title={trash.loadFailed} error={error} onRetry={() => void refetch()} />
      )}
      {isEmpty && isFiltered && (
        <NoMatch title={trash.noMatch} onClear={() => change({ search: '' })} />
      )}
      {isEmpty && !isFiltered && (
        <EmptyState
          Icon={IconTrash}
          color="dimmed"
          title={hasTrash ? trash.isEmpty : trash.noTrash}
        >
          <Text c="dimmed">{hasTrash ? trash.isEmptyHint : trash.noTrashHint}</Text>
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
          label={trash.pages}
          current={query.page}
          meta={data.meta}
          hrefOf={(page) => trashUrl({ ...query, page })}
        />
      )}
      {canWrite && selection.selected.size > 0 && (
        <TrashSelectionBar
          selection={selection}
          query={query}
          total={data?.meta.total ?? 0}
          onDelete={setDeleting}
        />
      )}
      <DeleteForever assets={deleting} onClose={() => setDeleting([])} onDone={clear} />
      <EmptyTrash isOpen={isEmptying} onClose={emptying.close} onDone={clear} />
    </Stack>
  )
}

function useTrash(query: TrashQuery) {
  const client = useClient()
  return useQuery({
    queryKey: queryKeys.trash(query),
    queryFn: ({ signal }) =>
      client.assets({ ...trashFilters(query), limit: PER_PAGE, signal }).page(query.page),
    placeholderData: keepPreviousData,
  })
}

interface TrashSelectionBarProps {
  selection: Selection
  query: TrashQuery
  /** The number of assets in the trash that match the query. */
  total: number
  onDelete(assets: readonly Asset[]): void
}

/** Actions for the selected assets in the trash. */
function TrashSelectionBar({ selection, query, total, onDelete }: TrashSelectionBarProps) {
  const { mutate, isPending } = useRestoreAssets()
  const { selected, all, clear } = selection
  const restoration = useChangeAll({ onDone: clear })
  const [isDeletingAll, deletingAll] = useDisclosure()
  const assets = [...selected.values()]
  const isBusy = isPending || restoration.isPending
  const restore = () => {
    if (isBusy) return
    if (all === undefined) mutate(assets, { onSettled: clear })
    else restoration.mutate({ all, change: { action: 'restore' } }, { onError: notifyFailure })
  }
  const remove = () => (all === undefined ? onDelete(assets) : deletingAll.open())
  useKey('Delete', remove)
  return (
    <SelectionPaper selection={selection}>
      <Button
        size="compact-sm"
        variant="light"
        leftSection={<IconRestore size={16} aria-hidden />}
        aria-disabled={isBusy || undefined}
        onClick={restore}
      >
        {trash.restore}
      </Button>
      <Button
        size="compact-sm"
        variant="light"
        color="red"
        leftSection={<IconTrashX size={16} aria-hidden />}
        onClick={remove}
      >
        {trash.deleteForever}
      </Button>
      {all === undefined && total > selected.size && total <= MAX_CHANGED_AT_ONCE && (
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={() => selection.selectAll({ filter: trashFilters(query), total })}
        >
          {fill(trash.selectAll, { count: total })}
        </Button>
      )}
      {all !== undefined && (
        <DeleteAll
          all={all}
          isPermanent
          isOpen={isDeletingAll}
          onClose={deletingAll.close}
          onDone={clear}
        />
      )}
    </SelectionPaper>
  )
}

function notifyFailure(error: Error): void {
  notify({ isError: true, title: trash.restoreFailed, message: errorText(error) })
}

interface DeleteForeverProps {
  /** Empty while the dialog is closed. */
  assets: readonly Asset[]
  onClose(): void
  onDone(): void
}

function DeleteForever({ assets, onClose, onDone }: DeleteForeverProps) {
  const client = useClient()
  const queries = useQueryClient()
  const isSingle = assets.length <= 1
  const [first] = assets
  const message = isSingle
    ? fill(trash.deletedForever, { name: first?.filename ?? '' })
    : plural(trash.deletedManyForever, assets.length)
  const deletion = useMutation({
    mutationFn: (signal: AbortSignal) =>
      deleteOrRestore(client, 'delete', { assets, isPermanent: true, signal }),
    onSuccess() {
      notify({ message, about: assets.map(({ id }) => id) })
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.removed')),
  })
  return (
    <ConfirmDialog
      isOpen={assets.length > 0}
      title={isSingle ? trash.deleteOneQuestion : plural(trash.deleteManyQuestion, assets.length)}
      confirmLabel={trash.deleteForever}
      errorTitle={isSingle ? trash.deleteOneFailed : trash.deleteManyFailed}
      mutation={deletion}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Names names={assets.map(nameWithFolder)} />
      <Text size="sm">{isSingle ? trash.deleteOneHint : trash.deleteManyHint}</Text>
    </ConfirmDialog>
  )
}

interface EmptyTrashProps {
  isOpen: boolean
  onClose(): void
  onDone(): void
}

function EmptyTrash({ isOpen, onClose, onDone }: EmptyTrashProps) {
  const client = useClient()
  const queries = useQueryClient()
  const emptying = useMutation({
    mutationFn: (signal: AbortSignal) => client.emptyTrash({ signal }),
    onSuccess() {
      notify({ message: trash.emptied, about: ['trash'] })
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(changedBy('asset.removed')),
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={trash.emptyQuestion}
      confirmLabel={trash.empty}
      errorTitle={trash.emptyFailed}
      mutation={emptying}
      onConfirm={emptying.mutate}
      onClose={onClose}
    >
      <Text size="sm">{trash.emptyHint}</Text>
    </ConfirmDialog>
  )
}

/** The search and the page of the trash, as in the URL. */
interface TrashQuery {
  search: string
  page: number
}

function readTrashQuery(search: string): TrashQuery {
  const params = new URLSearchParams(search)
  return { search: readText(params, 'search'), page: readPage(params) }
}

/** The URL contains only parameters that differ from their defaults. */
function trashUrl({ search, page }: TrashQuery): string {
  const params = new URLSearchParams({
    ...(search !== '' && { search }),
    ...(page > 1 && { page: `${page}` }),
  })
  return params.size === 0 ? '/trash' : `/trash?${params}`
}

/** The query as parameters of the API, without the page. */
function trashFilters({ search }: TrashQuery) {
  return { trashed: true, ...(search !== '' && { search: firstWords(search) }) }
}
