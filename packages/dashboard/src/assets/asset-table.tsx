import { Table } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { memo } from 'react'
import { Link } from 'wouter'
import { useFocusHandover } from '../components/focus.ts'
import { ListTable, RowCheckbox, SortHeader } from '../components/lists.tsx'
import { DateTime, Name } from '../components/values.tsx'
import { AssetThumbnail, DamagedMark } from './asset-icon.tsx'
import { KIND_LABELS, sizeOf } from './asset-kind.ts'
import type { Sort, SortField } from './asset-query.ts'
import classes from './asset-table.module.css'
import { productNames } from './product-names.ts'
import { type Selection, SelectPage } from './selection.tsx'

interface AssetTableProps {
  /** Undefined while the first page is loading. */
  assets: readonly Asset[] | undefined
  /** The assets belong to the previous query, and the current one is loading. */
  isStale: boolean
  sort: Sort
  onSort(field: SortField): void
  /** Undefined if assets cannot be selected. */
  selection: Selection | undefined
}

export function AssetTable({ assets, isStale, sort, onSort, selection }: AssetTableProps) {
  return (
    <ListTable
      items={assets}
      isStale={isStale}
      head={
        <>
          {selection && <SelectPage assets={assets} selection={selection} />}
          <SortHeader field="filename" sort={sort} onSort={onSort}>
            Name
          </SortHeader>
          <SortHeader field="bytes" sort={sort} onSort={onSort} isEnd visibleFrom="sm">
            Size
          </SortHeader>
          <Table.Th visibleFrom="sm">Products</Table.Th>
          <SortHeader field="created_at" sort={sort} onSort={onSort} visibleFrom="sm">
            Added
          </SortHeader>
        </>
      }
      row={(asset) => (
        <AssetRow
          key={asset.id}
          asset={asset}
          isSelected={selection?.has(asset.id) ?? false}
          onToggle={selection?.toggle}
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
}

const WIDE_ONLY = 'mantine-visible-from-sm'
const PHONE_ONLY = 'mantine-hidden-from-sm'

/**
 * On a phone, the contents of the other columns are below the name. The row consists of plain elements: Mantine's
 * components would take most of the time needed to show the first page.
 */
const AssetRow = memo(function AssetRow({ asset, isSelected, onToggle }: AssetRowProps) {
  const row = useFocusHandover<HTMLTableRowElement>()
  const names = productNames(asset.products)
  const [first] = names
  return (
    <tr ref={row} data-selected={isSelected || undefined}>
      {onToggle && (
        <td className={classes.check}>
          <RowCheckbox
            checked={isSelected}
            aria-label={`Select ${asset.filename}`}
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
            <Link
              href={`/assets/${asset.id}`}
              data-row-link
              title={[asset.filename, ...names].join('\n')}
              className={classes.name}
            >
              <Name>{asset.filename}</Name>
            </Link>
            {asset.damaged && <DamagedMark />}
            {asset.path !== null && (
              <div className={classes.facts}>
                <Name>{asset.path}</Name>
              </div>
            )}
            {first !== undefined && (
              <div className={`${classes.facts} ${PHONE_ONLY}`}>
                <Name>{names.length > 1 ? `${first} +${names.length - 1}` : first}</Name>
              </div>
            )}
            <div className={`${classes.facts} ${PHONE_ONLY}`}>
              {sizeOf(asset) ?? KIND_LABELS.link} · <DateTime value={asset.created_at} isDateOnly />
            </div>
          </div>
        </div>
      </td>
      <td className={`${classes.size} ${WIDE_ONLY}`}>{sizeOf(asset)}</td>
      <td className={`${classes.products} ${WIDE_ONLY}`}>
        {first !== undefined && (
          <div>
            <Name>{first}</Name>
            {names.length > 1 && <span>+{names.length - 1}</span>}
          </div>
        )}
      </td>
      <td className={WIDE_ONLY}>
        <DateTime value={asset.created_at} />
      </td>
    </tr>
  )
})
