import { Table } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import classes from './list-table.module.css'

interface Props<Item> {
  /** Undefined: the first ones are on their way. */
  items: readonly Item[] | undefined
  /** What is shown is not what was asked for last. */
  isStale: boolean
  /** The cells of the header's row. */
  head: ReactNode
  row(item: Item): ReactNode
  /** In the place of a row to come; a name in it takes so many percent of its cell. */
  rowToCome(width: number): ReactNode
}

/** A page of a list: it stays while the next one is on its way. */
export function ListTable<Item>({ items, isStale, head, row, rowToCome }: Props<Item>) {
  return (
    <Table
      className={classes.table}
      data-stale={isStale || undefined}
      aria-busy={isStale || items === undefined}
      verticalSpacing="sm"
      highlightOnHover
    >
      <Table.Thead>
        <Table.Tr>{head}</Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {items === undefined
          ? WIDTHS.map((width) => <Fragment key={width}>{rowToCome(width)}</Fragment>)
          : items.map(row)}
      </Table.Tbody>
    </Table>
  )
}

const WIDTHS = [61, 38, 74, 52, 45, 67, 33, 58]
