import { useMutation } from '@tanstack/react-query'
import { ActionButton } from '../components/action-button.tsx'
import { notify } from '../components/notify.ts'
import { numberText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { type AssetQuery, assetFilters } from './asset-query.ts'
import type { Selection } from './use-selection.ts'

interface Props {
  selection: Selection
  query: AssetQuery
  /** The number of assets that match the query. */
  total: number
}

/** One request returns at most this many assets. */
const MAX_SELECTED = 1000

/** Selects the assets that match the search and the filter, on all pages: all of them, or the first 1,000. */
export function SelectAll({ selection, query, total }: Props) {
  const client = useClient()
  const { mutate, isPending } = useMutation({
    mutationFn: () =>
      client.assets({ ...assetFilters(query), limit: MAX_SELECTED, with_products: true }).page(1),
    onSuccess: ({ data }) => selection.add(data),
    onError: (error) =>
      notify({ isError: true, title: 'Could not select all assets', message: errorText(error) }),
  })
  if (selection.selected.size >= Math.min(total, MAX_SELECTED)) return null
  return (
    <ActionButton size="compact-sm" variant="subtle" isBusy={isPending} onClick={() => mutate()}>
      {total > MAX_SELECTED
        ? `Select the first ${numberText(MAX_SELECTED)} of ${numberText(total)}`
        : `Select all ${numberText(total)}`}
    </ActionButton>
  )
}
