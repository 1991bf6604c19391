import { type Asset, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notify.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { assetsText } from './assets-text.ts'
import { deleteOrRestore } from './delete-or-restore.ts'

/** Restores assets from the trash, with their versions and products. */
export function useRestoreAssets() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (assets: readonly Asset[]) => deleteOrRestore(client, 'restore', { assets }),
    onSuccess: (_result, assets) =>
      notify({ message: `${assetsText(assets)} restored`, about: assets.map(({ id }) => id) }),
    onError: (error, assets) =>
      notify({
        isError: true,
        title: assets.length === 1 ? 'Could not restore the asset' : 'Could not restore all assets',
        message: textOf(error, assets.length),
        about: assets.map(({ id }) => id),
      }),
    onSettled: () => queries.invalidateQueries(),
  })
}

function textOf(error: unknown, count: number): string {
  if (!isStowageError(error, 'not_found')) return errorText(error)
  if (count === 1) {
    return 'It is no longer in the trash. It was deleted forever, or an upload needed its storage.'
  }
  return 'Some assets are no longer in the trash. They were deleted forever, or an upload needed their storage. The others were restored.'
}
