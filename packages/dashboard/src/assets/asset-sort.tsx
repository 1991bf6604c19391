import { NativeSelect } from '@mantine/core'
import type { Sort } from './asset-query.ts'

const OPTIONS: { value: Sort; label: string }[] = [
  { value: '-created_at', label: 'Newest first' },
  { value: 'created_at', label: 'Oldest first' },
  { value: 'filename', label: 'Name A–Z' },
  { value: '-filename', label: 'Name Z–A' },
  { value: '-bytes', label: 'Largest first' },
  { value: 'bytes', label: 'Smallest first' },
]

/** For phones, which show only the column header of the names. */
export function AssetSort({ sort, onSort }: { sort: Sort; onSort(sort: Sort): void }) {
  return (
    <NativeSelect
      hiddenFrom="sm"
      w={150}
      aria-label="Sort"
      data={OPTIONS}
      value={sort}
      onChange={({ currentTarget }) => onSort(currentTarget.value as Sort)}
    />
  )
}
