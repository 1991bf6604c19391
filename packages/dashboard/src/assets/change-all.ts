import { type BulkJob, type BulkJobRequest, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { plural } from '../i18n/texts.ts'
import { changedBy } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import type { AllMatches } from './selection.tsx'

/** The service changes at most so many matches of a filter. */
export const MAX_CHANGED_AT_ONCE = 1_000_000

interface ChangeOfAll {
  all: AllMatches
  change: Omit<BulkJobRequest, 'filter' | 'expected'>
  signal?: AbortSignal
}

/** Changes all assets that match a filter. The message offers to undo it, for exactly those that it has changed. */
export function useChangeAll({ onDone }: { onDone(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const reload = () =>
    queries.invalidateQueries(
      changedBy(
        'asset.deleted',
        'asset.restored',
        'asset.removed',
        'asset.attached',
        'asset.updated',
      ),
    )

  async function undo({ id }: BulkJob): Promise<void> {
    try {
      const { changed, error } = await client.undoBulk(id)
      if (error !== null) throw new Error(error.message)
      notify({ message: plural(texts.undone, changed) })
    } catch (error) {
      notify({
        isError: true,
        title: texts.undoAllFailed,
        message: errorText(error),
      })
    }
    await reload()
  }

  return useMutation({
    mutationFn: ({ all: { filter, total }, change, signal }: ChangeOfAll) =>
      client.bulk({ ...change, filter, expected: total }, { signal }),
    onSuccess(job, { change }) {
      const { changed, error } = job
      const done = change.permanent ? texts.done.deleteForever : texts.done[job.action]
      notify({
        message: plural(done, changed),
        about: ['trash'],
        ...(job.can_undo && { action: { label: common.undo, run: () => void undo(job) } }),
      })
      if (error !== null) notify({ isError: true, message: error.message })
      onDone()
    },
    // The number on the page is old.
    onError: (error) => isStowageError(error, 'selection_changed') && void reload(),
    onSettled: reload,
  })
}
