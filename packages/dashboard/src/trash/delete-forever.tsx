import { Text } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import { notify } from '../components/notify.ts'
import { useClient } from '../session/session.tsx'

interface Props {
  /** Undefined while the dialog is closed. */
  asset: Asset | undefined
  onClose(): void
}

export function DeleteForever({ asset, onClose }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const deletion = useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      client.delete(id, { permanent: true, signal }).catch((error: unknown) => {
        // It was removed in the meantime.
        if (!isStowageError(error, 'not_found')) throw error
      }),
    onSuccess() {
      notify({ message: `${asset?.filename} deleted forever` })
      onClose()
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <ConfirmDialog
      isOpen={asset !== undefined}
      title="Delete this asset forever?"
      confirmLabel="Delete forever"
      errorTitle="Could not delete the asset"
      mutation={deletion}
      onConfirm={(signal) => asset && deletion.mutate({ id: asset.id, signal })}
      onClose={onClose}
    >
      <Name fw={600}>{asset?.filename ?? ''}</Name>
      <Text size="sm">All versions of the asset will be deleted. This cannot be undone.</Text>
    </ConfirmDialog>
  )
}
