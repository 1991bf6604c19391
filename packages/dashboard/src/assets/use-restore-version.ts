import { type Asset, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { notify } from '../components/notify.ts'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'

interface Restoration {
  asset: Asset
  version: number
}

/** Makes a version current. The version that was current is kept, so the message offers to undo it. */
export function useRestoreVersion() {
  const client = useClient()
  const queries = useQueryClient()
  const mutation = useMutation({
    mutationFn: ({ asset, version }: Restoration) => client.restore(asset.id, version),
    onSuccess(restored, { asset, version }) {
      queries.setQueryData(['asset', asset.id], { ...restored, products: asset.products })
      notify({
        message: `Version ${version} restored`,
        action: {
          label: 'Undo',
          run: () => mutation.mutate({ asset: restored, version: asset.version }),
        },
      })
    },
    onError: (error) =>
      notify({ isError: true, title: 'Could not restore the version', message: textOf(error) }),
    onSettled: () => queries.invalidateQueries(),
  })
  return mutation
}

function textOf(error: unknown): string {
  if (!isStowageError(error, 'not_found')) return errorText(error)
  return 'The version no longer exists. It was deleted, or replaced by newer versions.'
}
