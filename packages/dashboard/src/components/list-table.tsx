import { Table } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import classes from './list-table.module.css'

interface Props<Item> {
  /** Undefined while the first page is loading. */
  items: readonly Item[] | undefined
  /** The items belong to the previous query, and the current one is loading. */
  isStale: boolean
  /** The cells of the header row. */
  head: ReactNode
  row(item: Item): ReactNode
  /** A placeholder for a row; `width` is the length of its name in percent of the cell. */
  skeletonRow(width: number): ReactNode
}

/** One page of a list. It stays visible while the next page is loading. */
export function ListTable<Item>({ items, isStale, head, row, skeletonRow }: Props<Item>) {
  return (
    <Table
      className={classes.table}
      data-stale={isStale || undefined}
      aria-busy={isStale || items === undefined}
      verticalSpacing="sm"
      highlightOnHover
      stickyHeader
      // Below the header of the page.
      stickyHeaderOffset="var(--app-shell-header-offset)"
    >
      <Table.Thead>
        <Table.Tr>{head}</Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items === undefined
          ? SKELETON_WIDTHS.map((width) => <Fragment key={width}>{skeletonRow(width)}</Fragment>)
          : items.map(row)}
      </Table.Tbody>
    </Table>
  )
}

const SKELETON_WIDTHS = [61, 38, 74, 52, 45, 67, 33, 58]
