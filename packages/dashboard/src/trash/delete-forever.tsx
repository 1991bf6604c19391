import { Text } from '@mantine/core'
import type { Asset } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { deleteOrRestore } from '../assets/delete-or-restore.ts'
import { Names } from '../assets/names.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { notify } from '../components/notify.ts'
import { countText } from '../format/count-text.ts'
import { nameWithFolder } from '../format/name-with-folder.ts'
import { useClient } from '../session/session.tsx'

interface Props {
  /** Empty while the dialog is closed. */
  assets: readonly Asset[]
  onClose(): void
  onDone(): void
}

export function DeleteForever({ assets, onClose, onDone }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const isSingle = assets.length <= 1
  const [first] = assets
  const name = isSingle ? (first?.filename ?? '') : countText(assets.length, 'asset')
  const deletion = useMutation({
    mutationFn: (signal: AbortSignal) =>
      deleteOrRestore(client, 'delete', { assets, isPermanent: true, signal }),
    onSuccess() {
      notify({ message: `${name} deleted forever`, about: assets.map(({ id }) => id) })
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <ConfirmDialog
      isOpen={assets.length > 0}
      title={isSingle ? 'Delete this asset forever?' : `Delete ${name} forever?`}
      confirmLabel="Delete forever"
      errorTitle={isSingle ? 'Could not delete the asset' : 'Could not delete all assets'}
      mutation={deletion}
      onConfirm={deletion.mutate}
      onClose={onClose}
    >
      <Names names={assets.map(nameWithFolder)} />
      <Text size="sm">
        All versions of the {isSingle ? 'asset' : 'assets'} will be deleted. This cannot be undone.
      </Text>
    </ConfirmDialog>
  )
}
