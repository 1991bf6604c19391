import { type BulkRequest, type BulkResponse, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { countText, errorText } from '../format.ts'
import { changedBy } from '../query-keys.ts'
import { useHasTrash } from '../session/account.tsx'
import { useClient } from '../session/session.tsx'
import { undoChange } from './change-assets.ts'
import type { AllMatches } from './selection.tsx'

/** One call changes at most so many assets, all of them or none. */
export const MAX_CHANGED_AT_ONCE = 2_000

interface ChangeOfAll {
  all: AllMatches
  change: Pick<BulkRequest, 'permanent' | 'product_ids' | 'products'> & { action: Action }
  signal?: AbortSignal
}

type Action = 'delete' | 'restore' | 'attach' | 'detach'

const DONE: Record<Action, string> = {
  delete: 'deleted',
  restore: 'restored',
  attach: 'attached',
  detach: 'detached',
}

/** Changes all assets that match a filter. The message offers to undo it, for exactly those that it has changed. */
export function useChangeAll({ onDone }: { onDone(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const hasTrash = useHasTrash()
  const reload = () =>
    queries.invalidateQueries(
      changedBy('asset.deleted', 'asset.restored', 'asset.removed', 'asset.attached'),
    )

  async function undo(action: Action, result: BulkResponse['data']): Promise<void> {
    try {
      await undoChange(client, action, result)
      notify({ message: `Undone for ${countText(result.changed?.length ?? 0, 'asset')}` })
    } catch (error) {
      notify({
        isError: true,
        title: 'Could not undo it for all assets',
        message: errorText(error),
      })
    }
    await reload()
  }

  return useMutation({
    mutationFn: ({ all: { filter, total }, change, signal }: ChangeOfAll) =>
      client.bulk({ ...change, filter, expected: total }, { signal }),
    onSuccess(result, { change }) {
      const { action } = change
      const { changed = [] } = result
      const canUndo = changed.length > 0 && (action !== 'delete' || (hasTrash && !change.permanent))
      const forever = change.permanent ? ' forever' : ''
      notify({
        message: `${countText(changed.length, 'asset')} ${DONE[action]}${forever}`,
        about: ['trash'],
        ...(canUndo && { action: { label: 'Undo', run: () => void undo(action, result) } }),
      })
      onDone()
    },
    // The number on the page is old.
    onError: (error) => isStowageError(error, 'selection_changed') && void reload(),
    onSettled: reload,
  })
}
