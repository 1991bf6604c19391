import {
  Group,
  Pagination,
  Skeleton,
  Table,
  type TableThProps,
  Text,
  UnstyledButton,
} from '@mantine/core'
import type { PageMeta } from '@stowage/client'
import { type ChangeEvent, Fragment, type ReactNode, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { common } from '../i18n/en/common.ts'
import { fill, plural } from '../i18n/texts.ts'
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '../icons/icons.tsx'
import classes from './lists.module.css'

interface ListTableProps<Item> {
  /** Undefined while the first page is loading. */
  items: readonly Item[] | undefined
  /** The items belong to the previous query, and the current one is loading. */
  isStale: boolean
  /** The cells of the header row. */
  head: ReactNode
  row(item: Item): ReactNode
  /** A placeholder for a row; `width` is the length of its name in percent of the cell. By default, it is only a name. */
  skeletonRow?(width: number): ReactNode
}

/** One page of a list. It stays visible while the next page is loading. */
export function ListTable<Item>({
  items,
  isStale,
  head,
  row,
  skeletonRow = (width) => <SkeletonRow width={width} />,
}: ListTableProps<Item>) {
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
/** No table has more. A cell that spans more columns than there are is as wide as the table. */
const MAX_COLUMNS = 10

function SkeletonRow({ width }: { width: number }) {
  return (
    <Table.Tr>
      <Table.Td colSpan={MAX_COLUMNS}>
        <Skeleton w={`${width}%`} h={16} my={3} />
      </Table.Td>
    </Table.Tr>
  )
}

interface SortHeaderProps<Field extends string> extends Omit<TableThProps, 'onSort'> {
  field: Field
  /** The current order: a field, preceded by `-` if it is descending. */
  sort: string
  onSort(field: Field): void
  isEnd?: boolean
  children: string
}

/** The head of a column by which the list can be sorted. */
export function SortHeader<Field extends string>({
  field,
  sort,
  onSort,
  isEnd = false,
  children,
  ...props
}: SortHeaderProps<Field>) {
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

interface RowCheckboxProps {
  'aria-label': string
  checked: boolean
  indeterminate?: boolean
  disabled?: boolean
  onChange(event: ChangeEvent<HTMLInputElement>): void
}

/**
 * A checkbox in a cell of a table. The area around it reacts to clicks and touches too. It is a plain element, which
 * is rendered faster, because a page has one in every row.
 */
export function RowCheckbox({ indeterminate = false, ...props }: RowCheckboxProps) {
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (input.current !== null) input.current.indeterminate = indeterminate
  }, [indeterminate])
  return (
    <label className={classes.check}>
      <input ref={input} type="checkbox" className={classes.box} {...props} />
    </label>
  )
}

interface ResultCountProps {
  /** Undefined while it is loading. */
  total: number | undefined
  noun: 'assets' | 'products' | 'orders' | 'mails' | 'uploads'
  isFiltered: boolean
  /** Whether there are exactly so many. Otherwise there are at least so many. */
  isExact?: boolean
}

/** The number of results above a list. Screen readers announce it when a search changes it. */
export function ResultCount({ total, noun, isFiltered, isExact = true }: ResultCountProps) {
  const last = useRef<Results>(undefined)
  if (total !== undefined) last.current = { total, noun, isFiltered, isExact }
  const isShown = last.current !== undefined && (isFiltered || total !== 0)
  return (
    <Text size="sm" c="dimmed" role="status" mih={22} my={-8}>
      {isShown && last.current && resultText(last.current)}
    </Text>
  )
}

type Results = ResultCountProps & { total: number }

function resultText({ total, noun, isFiltered, isExact = true }: Results): string {
  const items = plural(common[noun], total)
  if (isExact) return isFiltered ? fill(common.found, { items }) : items
  return fill(isFiltered ? common.atLeastFound : common.atLeast, { items })
}

interface PageLinksProps {
  /** For screen readers, such as "Pages of assets". */
  label: string
  /** The requested page, which may still be loading. */
  current: number
  meta: Pick<PageMeta, 'from' | 'to' | 'last_page' | 'total_at_least' | 'total_is_exact'>
  hrefOf(page: number): string
}

const CONTROL_LABELS = {
  first: 'firstPage',
  previous: 'previousPage',
  next: 'nextPage',
  last: 'lastPage',
} as const

/** Every page has a URL, so that it can be opened in another tab. */
export function PageLinks({ label, current, meta, hrefOf }: PageLinksProps) {
  const { from, to, last_page: last } = meta
  const range = meta.total_is_exact ? common.range : common.rangeAtLeast
  const linkTo = (page: number) => ({
    component: Link,
    href: hrefOf(Math.min(last, Math.max(1, page))),
  })
  const targets = { first: 1, previous: current - 1, next: current + 1, last }
  return (
    <Group justify="space-between" component="nav" aria-label={label}>
      <Text size="sm" c="dimmed">
        {fill(range, { from, to, total: meta.total_at_least })}
      </Text>
      {last > 1 && (
        <Pagination
          total={last}
          value={current}
          size="sm"
          getItemProps={(page) => ({
            ...linkTo(page),
            'aria-label': fill(common.pageNumber, { number: page }),
          })}
          getControlProps={(control) => ({
            ...linkTo(targets[control]),
            'aria-label': common[CONTROL_LABELS[control]],
          })}
        />
      )}
    </Group>
  )
}
