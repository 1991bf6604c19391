import {
  Anchor,
  Box,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  Title,
} from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { usePrefetchQuery, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { Link } from 'wouter'
import { FilterInput, FilterPill, useUrlQuery } from '../components/filters.tsx'
import { useKey } from '../components/focus.ts'
import { useExistingPage, useRestoredScroll } from '../components/list-position.tsx'
import { PageLinks, ResultCount } from '../components/lists.tsx'
import { Loading, useTitle } from '../components/page.tsx'
import { EmptyState, ErrorAlert, NoMatch } from '../components/page-states.tsx'
import { assets as texts } from '../i18n/en/assets.ts'
import { fill, rich } from '../i18n/texts.ts'
import { IconCloudUpload, IconFolder, IconHash, IconSearch, IconTag } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { RequireScope, useAccount, useHasScope } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { ChooseFiles } from '../uploads/add-files.tsx'
import { AddLink } from './add-link.tsx'
import {
  type AssetQuery,
  assetsUrl,
  isFiltered,
  NO_FILTERS,
  nextSort,
  readAssetQuery,
  type Show,
  type Sort,
} from './asset-query.ts'
import { AssetTable } from './asset-table.tsx'
import { useSelection } from './selection.tsx'
import type { SelectionBarProps } from './selection-bar.tsx'
import { assetListPageOptions, useAssetListPage, useExactMeta } from './use-asset-list-page.ts'

/** Loaded when the folders are opened, or when the list has the assets of a folder. */
const FolderPanel = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.FolderPanel })),
)
const FolderDialog = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.FolderDialog })),
)
const FolderBar = lazy(() => import('./asset-tools.ts').then((it) => ({ default: it.FolderBar })))

/** Loaded when the first asset is selected. */
const SelectionBar = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.SelectionBar })),
)

/** Loaded when they are opened. */
const UploadToProducts = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.UploadToProducts })),
)
const SuggestionList = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.SuggestionList })),
)
const ChooseTag = lazy(() => import('./asset-tools.ts').then((it) => ({ default: it.ChooseTag })))
const ChooseProduct = lazy(() =>
  import('./asset-tools.ts').then((it) => ({ default: it.ChooseProduct })),
)

const showOptions = (): { value: Show; label: string }[] => [
  { value: 'all', label: texts.showAll },
  { value: 'files', label: texts.showFiles },
  { value: 'urls', label: texts.showUrls },
  { value: 'no-product', label: texts.noProduct },
]

export function AssetsPage() {
  useTitle(texts.title)
  const canWrite = useHasScope('write')
  const { query, change } = useUrlQuery(readAssetQuery, assetsUrl)
  const { search, show, product, path, below, tag, sort, page } = query
  const isSuggesting = query.suggest && canWrite
  const { data, error, isPlaceholderData, refetch } = useAssetListPage(query)
  const meta = useExactMeta(query, isPlaceholderData ? undefined : data?.meta) ?? data?.meta
  const selection = useSelection(data?.data ?? [])
  const { clear } = selection
  const [isAddingLink, addingLink] = useDisclosure()
  const [isChoosingProducts, choosingProducts] = useDisclosure()
  const [isTreeOpen, toggleTree] = useTreeState()
  const [isTreeDialogOpen, treeDialog] = useDisclosure()

  const onSearch = useCallback(
    (text: string, isFirst: boolean) => change({ search: text }, { replace: !isFirst }),
    [change],
  )

  // biome-ignore lint/correctness/useExhaustiveDependencies: another search or filter clears the selection
  useEffect(clear, [search, show, product, path, below, tag, isSuggesting, clear])

  useExistingPage(page, { data, isPlaceholderData }, change)

  useRestoredScroll('/', data !== undefined)

  const isEmpty = data !== undefined && data.meta.total === 0
  // Without a path: the assets that are in no folder.
  const hrefOf = (folder?: string) =>
    assetsUrl({ ...query, path: folder ?? '', below: folder !== undefined, page: 1 })
  const tree = { current: path, isNone: path === '' && !below, hrefOf }
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1} size="h2">
          {texts.title}
        </Title>
        <RequireScope scope="write">
          <ChooseFiles onLink={addingLink.open} onChooseProducts={choosingProducts.open} />
        </RequireScope>
      </Group>
      <Group gap="sm">
        <FilterInput
          label={texts.search}
          placeholder={texts.searchHint}
          isMain
          value={search}
          onValue={onSearch}
          flex={1}
          miw={{ base: '100%', sm: 180 }}
          leftSection={<IconSearch size={16} aria-hidden />}
        />
        <AssetSort sort={sort} onSort={(value) => change({ sort: value })} />
        <FolderButtons
          isOpen={isTreeOpen}
          onToggle={toggleTree}
          isDialogOpen={isTreeDialogOpen}
          onDialog={treeDialog.open}
        />
        <ProductFilterButton onChoose={(id) => change({ product: `${id}` })} />
        <TagFilterButton onChoose={(one) => change({ tag: one })} />
        <SegmentedControl
          w={{ base: '100%', sm: 'auto' }}
          aria-label={texts.show}
          data={showOptions()}
          value={show}
          onChange={(value) => change({ show: value as Show, suggest: false })}
        />
      </Group>
      {product !== '' && (
        <ProductFilter productId={Number(product)} onClear={() => change({ product: '' })} />
      )}
      {(path !== '' || !below) && (
        <Suspense>
          <FolderBar
            path={path}
            below={below}
            isEmpty={isEmpty && below && !isFiltered({ ...query, path: '' })}
            hrefOf={hrefOf}
            onBelow={(value) => change({ below: value })}
            onMoved={(to) => change({ path: to }, { replace: true })}
            onClear={() => change({ path: '', below: true })}
          />
        </Suspense>
      )}
      {tag !== '' && (
        <FilterPill label={texts.tag} clearLabel={texts.anyTag} onClear={() => change({ tag: '' })}>
          {tag}
        </FilterPill>
      )}
      <Group align="start" gap="lg" wrap="nowrap">
        {isTreeOpen && (
          <Box visibleFrom="sm" style={{ alignSelf: 'stretch' }}>
            <Suspense>
              <FolderPanel {...tree} />
            </Suspense>
          </Box>
        )}
        <Stack gap="md" flex={1} miw={0}>
          <Group justify="space-between" gap="xs">
            <ResultCount
              total={isPlaceholderData ? undefined : meta?.total_at_least}
              isExact={meta?.total_is_exact !== false}
              noun="assets"
              isFiltered={isFiltered(query)}
            />
            {show === 'no-product' && canWrite && !isEmpty && (
              <Button
                variant={isSuggesting ? 'default' : 'light'}
                size="xs"
                leftSection={<IconTag size={16} aria-hidden />}
                onClick={() => change({ suggest: !isSuggesting })}
              >
                {isSuggesting ? texts.backToList : texts.suggestProducts}
              </Button>
            )}
          </Group>
          {error !== null && (
            <ErrorAlert title={texts.loadFailed} error={error} onRetry={() => void refetch()} />
          )}
          {isEmpty && isFiltered(query) && (
            <NoMatch
              title={isSuggesting ? texts.allHaveProducts : texts.noMatch}
              filters={filterTexts(query)}
              onClear={() => change(NO_FILTERS)}
            />
          )}
          {isEmpty && !isFiltered(query) && <FirstUse />}
          {isSuggesting && !isEmpty && data !== undefined && (
            <Suspense fallback={<Loading />}>
              <SuggestionList assets={data.data} isStale={isPlaceholderData} />
            </Suspense>
          )}
          {!isSuggesting && !isEmpty && (data !== undefined || error === null) && (
            <AssetTable
              assets={data?.data}
              isStale={isPlaceholderData}
              sort={sort}
              onSort={(field) => change({ sort: nextSort(sort, field) })}
              selection={canWrite ? selection : undefined}
              canRename={canWrite}
            />
          )}
          {meta !== undefined && !isEmpty && (
            <PageLinks
              label={texts.pages}
              current={page}
              meta={meta}
              hrefOf={(number) => assetsUrl({ ...query, page: number })}
            />
          )}
        </Stack>
      </Group>
      <Suspense>
        {isTreeDialogOpen && <FolderDialog {...tree} isOpen onClose={treeDialog.close} />}
      </Suspense>
      <AddLink isOpen={isAddingLink} onClose={addingLink.close} />
      <Suspense>
        {isChoosingProducts && <UploadToProducts isOpen onClose={choosingProducts.close} />}
      </Suspense>
      {selection.selected.size > 0 && (
        <Selecting selection={selection} query={query} total={totalOf(meta)} />
      )}
    </Stack>
  )
}

/** The keys work from the first selection on, also while the bar is loaded. */
function Selecting(props: Pick<SelectionBarProps, 'selection' | 'query' | 'total'>) {
  const [isDeleting, deleting] = useDisclosure()
  const [isAwaited, awaiting] = useDisclosure()
  useKey('Delete', deleting.open)
  return (
    <Suspense fallback={<BarKey onPress={awaiting.open} />}>
      <SelectionBar
        {...props}
        isDeleting={isDeleting}
        deleting={deleting}
        hasFocus={isAwaited && !isDeleting}
      />
    </Suspense>
  )
}

/** Replaces the bar while it is loaded. Then the bar itself has the key. */
function BarKey({ onPress }: { onPress(): void }) {
  useKey('Ctrl+Enter', onPress)
  return null
}

/** The number of matches; infinite while it is not known. */
function totalOf(meta: { total: number; total_is_exact: boolean } | undefined): number {
  return meta?.total_is_exact === false ? Infinity : (meta?.total ?? 0)
}

/** The active filters, without the search. */
function filterTexts({ show, product, path, below, tag }: AssetQuery): string[] {
  const label = show === 'all' ? '' : showOptions().find(({ value }) => value === show)?.label
  const folder = path === '' ? !below && texts.noFolder : fill(texts.folderNamed, { path })
  return [label, product && texts.product, folder, tag && fill(texts.tagNamed, { tag })].flatMap(
    (text) => text || [],
  )
}

const sortOptions = (): { value: Sort; label: string }[] => [
  { value: '-created_at', label: texts.order.newest },
  { value: 'created_at', label: texts.order.oldest },
  { value: 'filename', label: texts.order.name },
  { value: '-filename', label: texts.order.nameDown },
  { value: '-bytes', label: texts.order.largest },
  { value: 'bytes', label: texts.order.smallest },
]

/** For phones, which show only the column header of the names. */
function AssetSort({ sort, onSort }: { sort: Sort; onSort(sort: Sort): void }) {
  return (
    <NativeSelect
      hiddenFrom="sm"
      w="fit-content"
      aria-label={texts.sort}
      data={sortOptions()}
      value={sort}
      onChange={({ currentTarget }) => onSort(currentTarget.value as Sort)}
    />
  )
}

interface FolderButtonsProps {
  isOpen: boolean
  onToggle(): void
  isDialogOpen: boolean
  onDialog(): void
}

/** Shows the folders: next to the list, or in a dialog on a phone. */
function FolderButtons({ isOpen, onToggle, isDialogOpen, onDialog }: FolderButtonsProps) {
  const button = { variant: 'default', leftSection: <IconFolder size={16} aria-hidden /> }
  return (
    <>
      <Button {...button} visibleFrom="sm" aria-expanded={isOpen} onClick={onToggle}>
        {texts.folders}
      </Button>
      <Button {...button} hiddenFrom="sm" aria-expanded={isDialogOpen} onClick={onDialog}>
        {texts.folders}
      </Button>
    </>
  )
}

const TREE_STATE = 'stowage-folders'

/** Whether the folders are shown next to the list. The browser remembers it. */
function useTreeState(): [boolean, () => void] {
  const [isOpen, setOpen] = useState(() => readTreeState() === 'open')
  const toggle = () => {
    setOpen(!isOpen)
    try {
      localStorage.setItem(TREE_STATE, isOpen ? 'closed' : 'open')
    } catch {
      // The browser stores nothing for this page.
    }
  }
  return [isOpen, toggle]
}

function readTreeState(): string | null {
  try {
    return localStorage.getItem(TREE_STATE)
  } catch {
    return null
  }
}

/** Opens a dialog to choose the product whose assets the list shows. */
function ProductFilterButton({ onChoose }: { onChoose(productId: number): void }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTag size={16} aria-hidden />}
        aria-label={texts.filterByProduct}
        onClick={open}
      >
        {texts.product}
      </Button>
      <Suspense>{isOpen && <ChooseProduct onChoose={onChoose} onClose={close} />}</Suspense>
    </>
  )
}

/** Opens a dialog to choose the tag whose assets the list shows. */
function TagFilterButton({ onChoose }: { onChoose(tag: string): void }) {
  const [isOpen, { open, close }] = useDisclosure()
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconHash size={16} aria-hidden />}
        aria-label={texts.filterByTag}
        onClick={open}
      >
        {texts.tag}
      </Button>
      <Suspense>{isOpen && <ChooseTag onChoose={onChoose} onClose={close} />}</Suspense>
    </>
  )
}

interface ProductFilterProps {
  productId: number
  onClear(): void
}

/** Shows that the list has the assets of one product only. */
function ProductFilter({ productId, onClear }: ProductFilterProps) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: queryKeys.productName(productId),
    queryFn: ({ signal }) =>
      client.productGroups({ product_id: productId, limit: 1, signal }).page(),
  })
  return (
    <FilterPill label={texts.product} clearLabel={texts.anyProduct} onClear={onClear}>
      {data?.data[0]?.name ?? `${productId}`}
    </FilterPill>
  )
}

/** Replaces the list while the account has no assets. */
function FirstUse() {
  const hasTrash = (useAccount().data?.trash ?? 0) > 0
  if (!useHasScope('write')) {
    return <EmptyState Icon={IconCloudUpload} color="dimmed" title={texts.noAssets} />
  }
  return (
    <EmptyState
      Icon={IconCloudUpload}
      color="anchor"
      title={hasTrash ? texts.dropHere : texts.dropFirst}
    >
      <Text c="dimmed">{texts.dropHint}</Text>
      {hasTrash && (
        <Text c="dimmed">
          {rich(texts.trashHint, {
            trash: (
              <Anchor component={Link} href="/trash" underline="always" inherit>
                {texts.trash}
              </Anchor>
            ),
          })}
        </Text>
      )}
    </EmptyState>
  )
}

/** Requests the list of assets before the page around it is rendered, if the list is the first page. */
export function PrefetchAssets() {
  const [isFirstPage] = useState(() => location.pathname === '/')
  return isFirstPage && <Prefetch />
}

function Prefetch() {
  const client = useClient()
  const [query] = useState(() => readAssetQuery(location.search))
  usePrefetchQuery(assetListPageOptions(client, query))
  return null
}
