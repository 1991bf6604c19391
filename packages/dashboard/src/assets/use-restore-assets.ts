import { type Asset, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { deleteOrRestore } from './delete-or-restore.ts'

/** Restores assets from the trash, with their versions and products. */
export function useRestoreAssets() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (assets: readonly Asset[]) => deleteOrRestore(client, 'restore', { assets }),
    onSuccess(_result, assets) {
      const [first] = assets
      const subject = assets.length === 1 ? first?.filename : countText(assets.length, 'asset')
      notify({ message: `${subject} restored` })
    },
    onError: (error, assets) =>
      notify({
        isError: true,
        title: assets.length === 1 ? 'Could not restore the asset' : 'Could not restore all assets',
        message: textOf(error),
      }),
    onSettled: () => queries.invalidateQueries(),
  })
}

function textOf(error: unknown): string {
  if (!isStowageError(error, 'not_found')) return errorText(error)
  return 'No longer in the trash. It was deleted forever, or an upload needed the storage.'
}
