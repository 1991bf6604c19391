import { Checkbox, Skeleton, Table } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { ListTable } from '../components/list-table.tsx'
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
  /** Undefined: there is nothing to pick them for. */
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
          isChosen={selection?.chosen.has(asset.id) ?? false}
          onToggle={selection?.toggle}
        />
      )}
      rowToCome={(width) => <RowToCome width={width} isPicked={selection !== undefined} />}
    />
  )
}

interface SelectPageProps {
  assets: readonly Asset[] | undefined
  selection: Selection
}

function SelectPage({ assets = [], selection }: SelectPageProps) {
  const here = assets.filter(({ id }) => selection.chosen.has(id)).length
  const isWhole = here > 0 && here === assets.length
  return (
    <Table.Th w={44}>
      <Checkbox
        checked={isWhole}
        indeterminate={here > 0 && !isWhole}
        disabled={assets.length === 0}
        aria-label="Select this page"
        onChange={selection.togglePage}
      />
    </Table.Th>
  )
}

function RowToCome({ width, isPicked }: { width: number; isPicked: boolean }) {
  return (
    <Table.Tr>
      {isPicked && (
        <Table.Td>
          <Skeleton w={20} h={20} />
        </Table.Td>
      )}
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
