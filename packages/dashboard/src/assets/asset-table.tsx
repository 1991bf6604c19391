import { Table } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { type KeyboardEvent, lazy, memo, Suspense, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/focus.ts'
import { ListTable, RowCheckbox, SortHeader } from '../components/lists.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { numberText } from '../format.ts'
import { assets as texts } from '../i18n/en/assets.ts'
import { useLanguage } from '../i18n/language.ts'
import { fill } from '../i18n/texts.ts'
import { IconPencil } from '../icons/icons.tsx'
import { AssetThumbnail, DamagedMark } from './asset-icon.tsx'
import { sizeOf } from './asset-kind.ts'
import type { Sort, SortField } from './asset-query.ts'
import classes from './asset-table.module.css'
import { productNames } from './product-names.ts'
import { type Selection, SelectPage } from './selection.tsx'

/** Loaded when the first asset is renamed. */
const RenameForm = lazy(() => import('./asset-tools.ts').then((it) => ({ default: it.RenameForm })))

interface AssetTableProps {
  /** Undefined while the first page is loading. */
  assets: readonly Asset[] | undefined
  /** The assets belong to the previous query, and the current one is loading. */
  isStale: boolean
  sort: Sort
  onSort(field: SortField): void
  /** Undefined if assets cannot be selected. */
  selection: Selection | undefined
  canRename: boolean
}

export function AssetTable(props: AssetTableProps) {
  const { assets, isStale, sort, onSort, selection, canRename } = props
  const [renamed, setRenamed] = useState<string>()
  return (
    <ListTable
      items={assets}
      isStale={isStale}
      head={
        <>
          {selection && <SelectPage assets={assets} selection={selection} />}
          <SortHeader field="filename" sort={sort} onSort={onSort}>
            {texts.name}
          </SortHeader>
          <SortHeader field="bytes" sort={sort} onSort={onSort} isEnd visibleFrom="sm">
            {texts.size}
          </SortHeader>
          <Table.Th visibleFrom="sm">{texts.products}</Table.Th>
          <SortHeader field="created_at" sort={sort} onSort={onSort} visibleFrom="sm">
            {texts.added}
          </SortHeader>
        </>
      }
      row={(asset) => (
        <AssetRow
          key={asset.id}
          asset={asset}
          isSelected={selection?.has(asset.id) ?? false}
          onToggle={selection?.toggle}
          isRenaming={canRename && renamed === asset.id}
          onRename={canRename ? setRenamed : undefined}
        />
      )}
      skeletonRow={(width) => <SkeletonRow width={width} isSelectable={selection !== undefined} />}
    />
  )
}

/** Consists of plain elements, like `AssetRow`. */
function SkeletonRow({ width, isSelectable }: { width: number; isSelectable: boolean }) {
  const cell = (length: number) => (
    <td className="mantine-visible-from-sm">
      <span className={classes.skeleton} style={{ width: length }} />
    </td>
  )
  return (
    <tr>
      {isSelectable && (
        <td>
          <span className={classes.skeleton} style={{ width: 20 }} />
        </td>
      )}
      <td className={classes.main}>
        <span className={classes.skeleton} style={{ width: `${width}%` }} />
      </td>
      {cell(60)}
      {cell(120)}
      {cell(140)}
    </tr>
  )
}

interface AssetRowProps {
  asset: Asset
  isSelected: boolean
  /** Undefined if assets cannot be selected. */
  onToggle: ((asset: Asset, isRange: boolean) => void) | undefined
  /** Whether the name is being edited. */
  isRenaming: boolean
  /** Edits the name of the asset with this ID, or of none. Undefined if assets cannot be renamed. */
  onRename: ((id: string | undefined) => void) | undefined
}

const WIDE_ONLY = 'mantine-visible-from-sm'
const PHONE_ONLY = 'mantine-hidden-from-sm'

/**
 * On a phone, the contents of the other columns are below the name. The row consists of plain elements: Mantine's
 * components would take most of the time needed to show the first page.
 */
const AssetRow = memo(function AssetRow(props: AssetRowProps) {
  useLanguage()
  const { asset, isSelected, onToggle, isRenaming, onRename } = props
  const row = useFocusHandover<HTMLTableRowElement>()
  const names = productNames(asset.products)
  const [first] = names
  const opener = useRef<HTMLElement>(null)
  const rename = () => {
    opener.current = document.activeElement as HTMLElement | null
    onRename?.(asset.id)
  }
  const wasRenaming = useRef(false)
  useLayoutEffect(() => {
    // If the focus was in the form, it returns to the control that opened it, which is rendered again.
    if (wasRenaming.current && !isRenaming && document.activeElement === document.body) {
      const { current } = opener
      const name = current instanceof HTMLButtonElement ? 'data-rename' : 'data-row-link'
      const again = row.current?.querySelector<HTMLElement>(`[${name}]`)
      ;(current?.isConnected ? current : again)?.focus()
    }
    wasRenaming.current = isRenaming
  }, [isRenaming, row])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'F2' || isRenaming || onRename === undefined) return
    event.preventDefault()
    rename()
  }
  return (
    <tr ref={row} data-selected={isSelected || undefined} onKeyDown={onKeyDown}>
      {onToggle && (
        <td className={classes.check}>
          <RowCheckbox
            checked={isSelected}
            aria-label={fill(texts.selectNamed, { name: asset.filename })}
            onChange={({ nativeEvent }) =>
              onToggle(asset, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }
          />
        </td>
      )}
      <td className={classes.main}>
        <div className={classes.asset}>
          <AssetThumbnail asset={asset} />
          <div className={classes.texts}>
            {isRenaming ? (
              <Suspense fallback={<Name>{asset.filename}</Name>}>
                <RenameForm asset={asset} isCompact onClose={() => onRename?.(undefined)} />
              </Suspense>
            ) : (
              <div className={classes.title}>
                <Link
                  href={`/assets/${asset.id}`}
                  data-row-link
                  aria-keyshortcuts={onRename && 'F2'}
                  title={[asset.filename, ...names].join('\n')}
                  className={classes.name}
                >
                  <Name>{asset.filename}</Name>
                </Link>
                {onRename && (
                  <button
                    type="button"
                    data-rename
                    className={classes.rename}
                    aria-label={fill(texts.renameNamed, { name: asset.filename })}
                    title={texts.renameKey}
                    onClick={rename}
                  >
                    <IconPencil size={16} aria-hidden />
                  </button>
                )}
              </div>
            )}
            {asset.damaged && <DamagedMark />}
            {asset.path !== null && (
              <div className={classes.facts}>
                <Name>{asset.path}</Name>
              </div>
            )}
            {asset.tags.length > 0 && <Tags tags={asset.tags} />}
            {first !== undefined && (
              <div className={`${classes.facts} ${PHONE_ONLY}`}>
                <Name>
                  {names.length > 1 ? `${first} +${numberText(names.length - 1)}` : first}
                </Name>
              </div>
            )}
            <div className={`${classes.facts} ${PHONE_ONLY}`}>
              {sizeOf(asset) ?? texts.kinds.link} · <DateTime value={asset.created_at} isDateOnly />
            </div>
          </div>
        </div>
      </td>
      <td className={`${classes.size} ${WIDE_ONLY}`}>{sizeOf(asset)}</td>
      <td className={`${classes.products} ${WIDE_ONLY}`}>
        {first !== undefined && (
          <div>
            <Name>{first}</Name>
            {names.length > 1 && <span>+{numberText(names.length - 1)}</span>}
          </div>
        )}
      </td>
      <td className={WIDE_ONLY}>
        <DateTime value={asset.created_at} />
      </td>
    </tr>
  )
})

/** How many tags a row shows. */
const SHOWN_TAGS = 3

function Tags({ tags }: { tags: readonly string[] }) {
  const more = tags.length - SHOWN_TAGS
  return (
    <div className={classes.tags} title={tags.join('\n')}>
      {tags.slice(0, SHOWN_TAGS).map((tag) => (
        <span key={tag}>
          <Name>{tag}</Name>
        </span>
      ))}
      {more > 0 && `+${more}`}
    </div>
  )
}
