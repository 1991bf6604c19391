import { Table } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { ListTable } from '../components/list-table.tsx'
import type { Sort, SortField } from './asset-query.ts'
import classes from './asset-row.module.css'
import { AssetRow } from './asset-row.tsx'
import { SelectPage } from './select-page.tsx'
import { SortHeader } from './sort-header.tsx'
import type { Selection } from './use-selection.ts'

interface Props {
  /** Undefined while the first page is loading. */
  assets: readonly Asset[] | undefined
  /** The assets belong to the previous query, and the current one is loading. */
  isStale: boolean
  sort: Sort
  onSort(field: SortField): void
  /** Undefined if assets cannot be selected. */
  selection: Selection | undefined
}

export function AssetTable({ assets, isStale, sort, onSort, selection }: Props) {
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
          isSelected={selection?.selected.has(asset.id) ?? false}
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
