import { Table } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { RowCheckbox } from '../components/row-checkbox.tsx'
import type { Selection } from './use-selection.ts'

interface Props {
  assets: readonly Asset[] | undefined
  selection: Selection
}

/** The head of the column that selects assets. */
export function SelectPage({ assets = [], selection }: Props) {
  const count = assets.filter(({ id }) => selection.selected.has(id)).length
  const isAll = count > 0 && count === assets.length
  return (
    <Table.Th w={44}>
      <RowCheckbox
        checked={isAll}
        indeterminate={count > 0 && !isAll}
        disabled={assets.length === 0}
        aria-label="Select all on this page"
        onChange={selection.togglePage}
      />
    </Table.Th>
  )
}
