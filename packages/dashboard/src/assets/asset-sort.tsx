import { NativeSelect } from '@mantine/core'
import type { Sort } from './asset-query.ts'

const SORTED: { value: Sort; label: string }[] = [
  { value: '-created_at', label: 'Newest first' },
  { value: 'created_at', label: 'Oldest first' },
  { value: 'filename', label: 'By name' },
  { value: '-filename', label: 'By name, backwards' },
  { value: '-bytes', label: 'Largest first' },
  { value: 'bytes', label: 'Smallest first' },
]

/** On a phone, where there are no columns to click. */
export function AssetSort({ sort, onSort }: { sort: Sort; onSort(sort: Sort): void }) {
  return (
    <NativeSelect
      hiddenFrom="sm"
      w={150}
      aria-label="Sort"
      data={SORTED}
      value={sort}
      onChange={({ currentTarget }) => onSort(currentTarget.value as Sort)}
    />
  )
}
