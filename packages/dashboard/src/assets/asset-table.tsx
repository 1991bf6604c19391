import { Checkbox, Skeleton, Table } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { ListTable } from '../shell/list-table.tsx'
import type { Sort, SortField } from './asset-query.ts'
import { AssetRow } from './asset-row.tsx'
import { SortHeader } from './sort-header.tsx'
import type { Selection } from './use-selection.ts'

interface Props {
  /** Undefined: the first ones are on their way. */
  assets: readonly Asset[] | undefined
  /** What is shown is not what was asked for last. */
  isStale: boolean
  sort: Sort
  onSort(field: SortField): void
  selection: Selection
}

export function AssetTable({ assets, isStale, sort, onSort, selection }: Props) {
  const { chosen, toggle, togglePage } = selection
  const here = assets?.filter(({ id }) => chosen.has(id)).length ?? 0
  const isWhole = here > 0 && here === assets?.length
  return (
    <ListTable
      items={assets}
      isStale={isStale}
      head={
        <>
          <Table.Th w={44}>
            <Checkbox
              checked={isWhole}
              indeterminate={here > 0 && !isWhole}
              disabled={assets === undefined || assets.length === 0}
              aria-label="Select this page"
              onChange={togglePage}
            />
          </Table.Th>
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
        <AssetRow key={asset.id} asset={asset} isChosen={chosen.has(asset.id)} onToggle={toggle} />
      )}
      rowToCome={(width) => <RowToCome width={width} />}
    />
  )
}

function RowToCome({ width }: { width: number }) {
  return (
    <Table.Tr>
      <Table.Td>
        <Skeleton w={20} h={20} />
      </Table.Td>
      <Table.Td w="100%">
        <Skeleton w={`${width}%`} h={16} my={3} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Skeleton w={60} h={16} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Skeleton w={120} h={16} />
      </Table.Td>
      <Table.Td visibleFrom="sm">
        <Skeleton w={140} h={16} />
      </Table.Td>
    </Table.Tr>
  )
}
