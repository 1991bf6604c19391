import { Table, type TableThProps, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '../icons/icons.ts'
import type { Sort, SortField } from './asset-query.ts'
import classes from './sort-header.module.css'

interface Props extends Omit<TableThProps, 'onSort'> {
  field: SortField
  sort: Sort
  onSort(field: SortField): void
  isEnd?: boolean
  children: string
}

export function SortHeader({ field, sort, onSort, isEnd = false, children, ...props }: Props) {
  const order = sort === field ? 'ascending' : sort === `-${field}` ? 'descending' : undefined
  const Icon = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort }[
    order ?? 'none'
  ]
  return (
    <Table.Th {...props} aria-sort={order ?? 'none'} ta={isEnd ? 'end' : 'start'}>
      <UnstyledButton className={classes.sort} onClick={() => onSort(field)}>
        {children}
        <Icon size={14} aria-hidden opacity={order === undefined ? 0.5 : 1} />
      </UnstyledButton>
    </Table.Th>
  )
}
