import { type BulkJob, type BulkJobRequest, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notifications.tsx'
import { errorText } from '../format.ts'
import { bulk } from '../i18n/en/bulk.ts'
import { changes as texts } from '../i18n/en/changes.ts'
import { common } from '../i18n/en/common.ts'
import { plural } from '../i18n/texts.ts'
import { changedBy, queryKeys } from '../query-keys.ts'
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
      const { changed, error } = await client.undoBulk(id, {
        onProgress: (job) => void showProgress(job),
      })
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

  const undoOf = (job: BulkJob) =>
    job.can_undo ? { action: { label: common.undo, run: () => void undo(job) } } : {}

  /** `BulkProgress` shows the progress of a change that is still running. */
  function showProgress({ status }: BulkJob, close = () => {}): boolean {
    if (status !== 'running') return false
    close()
    void queries.invalidateQueries({ queryKey: queryKeys.bulkJobs() })
    return true
  }

  return useMutation({
    async mutationFn({ all: { filter, total }, change, signal }: ChangeOfAll) {
      let isClosed = false
      const onProgress = (job: BulkJob) => {
        isClosed ||= showProgress(job, onDone)
      }
      const request = { ...change, filter, expected: total }
      return { job: await client.bulk(request, { signal, onProgress }), isClosed }
    },
    onSuccess({ job, isClosed }, { change }) {
      const { changed, error } = job
      if (!isClosed) onDone()
      if (job.status === 'cancelled') {
        notify({ message: plural(bulk.stopped, changed), ...undoOf(job) })
        return
      }
      const done = change.permanent ? texts.done.deleteForever : texts.done[job.action]
      notify({
        message: plural(done, changed),
        about: ['trash'],
        ...undoOf(job),
      })
      if (error !== null) notify({ isError: true, message: error.message })
    },
    // The number on the page is old.
    onError: (error) => isStowageError(error, 'selection_changed') && void reload(),
    onSettled: reload,
  })
}

/** A dialog that changes all matches. */
export interface ChangeAllProps {
  all: AllMatches
  isOpen: boolean
  onClose(): void
  onDone(): void
}

/** The change of such a dialog, which it closes. */
export function useChangeAllForm(onClose: () => void, onDone: () => void) {
  return useChangeAll({
    onDone() {
      onClose()
      onDone()
    },
  })
}
