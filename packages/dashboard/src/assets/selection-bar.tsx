import { Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { ArchiveRequest } from '@stowage/protocol'
import { useMutation } from '@tanstack/react-query'
import { ActionButton } from '../components/action-button.tsx'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { fill } from '../i18n/texts.ts'
import { IconFolder, IconHash, IconTag, IconTagOff, IconTrash } from '../icons/icons.tsx'
import { useClient } from '../session/session.tsx'
import { type AssetQuery, assetFilters } from './asset-query.ts'
import { MAX_CHANGED_AT_ONCE } from './change-all.ts'
import { DeleteAll, DeleteAssets } from './delete-assets.tsx'
import { DownloadZip } from './download-zip.tsx'
import { MoveAll, MoveAssets } from './move-assets.tsx'
import { AttachAssets, ChangeProductsOfAll, DetachAssets } from './product-dialogs.tsx'
import { type AllMatches, type Selection, SelectionPaper } from './selection.tsx'
import { TagAll, TagAssets } from './tag-dialogs.tsx'

export interface SelectionBarProps {
  selection: Selection
  query: AssetQuery
  /** The number of assets that match the query; infinite while it is not known. */
  total: number
  isDeleting: boolean
  deleting: { open(): void; close(): void }
  /** Whether the bar gets the focus as soon as it is loaded. */
  hasFocus: boolean
}

/** Actions for the selected assets. */
export function SelectionBar(props: SelectionBarProps) {
  const { selection, query, total, isDeleting, deleting, hasFocus } = props
  const [isAttaching, attaching] = useDisclosure()
  const [isDetaching, detaching] = useDisclosure()
  const [isMoving, moving] = useDisclosure()
  const [isTagging, tagging] = useDisclosure()
  const { selected, all, clear } = selection
  const assets = [...selected.values()]
  const archive = all === undefined ? { ids: [...selected.keys()] } : archiveOf(all)
  return (
    <>
      <SelectionPaper selection={selection} hasFocus={hasFocus}>
        <BarButton Icon={IconTag} onClick={attaching.open}>
          {texts.attachToProducts}
        </BarButton>
        <BarButton Icon={IconTagOff} onClick={detaching.open}>
          {texts.detach}
        </BarButton>
        <BarButton Icon={IconFolder} onClick={moving.open}>
          {texts.move}
        </BarButton>
        <BarButton Icon={IconHash} onClick={tagging.open}>
          {texts.tags}
        </BarButton>
        {archive && <DownloadZip selection={archive} variant="light" />}
        <BarButton Icon={IconTrash} color="red" onClick={deleting.open}>
          {texts.delete}
        </BarButton>
        <SelectAll selection={selection} query={query} total={total} />
      </SelectionPaper>
      {all === undefined ? (
        <>
          <MoveAssets assets={assets} isOpen={isMoving} onClose={moving.close} onDone={clear} />
          <TagAssets assets={assets} isOpen={isTagging} onClose={tagging.close} onDone={clear} />
          <DeleteAssets
            assets={assets}
            isOpen={isDeleting}
            onClose={deleting.close}
            onDone={clear}
          />
          <AttachAssets
            assets={assets}
            isOpen={isAttaching}
            onClose={attaching.close}
            onDone={clear}
          />
          <DetachAssets
            assets={assets}
            isOpen={isDetaching}
            onClose={detaching.close}
            onDone={clear}
          />
        </>
      ) : (
        <>
          <MoveAll all={all} isOpen={isMoving} onClose={moving.close} onDone={clear} />
          <TagAll all={all} isOpen={isTagging} onClose={tagging.close} onDone={clear} />
          <DeleteAll all={all} isOpen={isDeleting} onClose={deleting.close} onDone={clear} />
          <ChangeProductsOfAll
            action="attach"
            all={all}
            isOpen={isAttaching}
            onClose={attaching.close}
            onDone={clear}
          />
          <ChangeProductsOfAll
            action="detach"
            all={all}
            isOpen={isDetaching}
            onClose={detaching.close}
            onDone={clear}
          />
        </>
      )}
    </>
  )
}

interface BarButtonProps {
  Icon: typeof IconTag
  color?: string
  onClick: () => void
  children: string
}

function BarButton({ Icon, ...props }: BarButtonProps) {
  return (
    <Button
      size="compact-sm"
      variant="light"
      leftSection={<Icon size={16} aria-hidden />}
      {...props}
    />
  )
}

/** Undefined if archives do not support the filter. */
function archiveOf({ filter }: AllMatches): ArchiveRequest | undefined {
  const { tag, below, ...others } = filter
  return tag === undefined && below === undefined ? { filter: others } : undefined
}

interface SelectAllProps {
  selection: Selection
  query: AssetQuery
  /** The number of assets that match the query. */
  total: number
}

/** One request returns at most this many assets. */
const MAX_SELECTED = 1000

/**
 * Selects the assets that match the search and the filter, on all pages: all of them, or the first 1,000 if there are
 * more than one call can change.
 */
function SelectAll({ selection, query, total }: SelectAllProps) {
  const client = useClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      client.assets({ ...assetFilters(query), limit: MAX_SELECTED, with_products: true }).page(1),
    onSuccess: ({ data }) => selection.add(data),
    onError: (error) =>
      notify({ isError: true, title: texts.selectAllFailed, message: errorText(error) }),
  })
  if (selection.all !== undefined) return null
  if (total > MAX_SELECTED && total <= MAX_CHANGED_AT_ONCE) {
    const { sort, ...filter } = assetFilters(query)
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        onClick={() => selection.selectAll({ filter, total })}
      >
        {fill(texts.selectAll, { count: total })}
      </Button>
    )
  }
  if (selection.selected.size >= Math.min(total, MAX_SELECTED)) return null
  return (
    <ActionButton size="compact-sm" variant="subtle" isBusy={isPending} onClick={() => mutate()}>
      {selectAllText(total)}
    </ActionButton>
  )
}

function selectAllText(total: number): string {
  if (total <= MAX_SELECTED) return fill(texts.selectAll, { count: total })
  const count = MAX_SELECTED
  return total === Infinity
    ? fill(texts.selectFirst, { count })
    : fill(texts.selectFirstOf, { count, total })
}
