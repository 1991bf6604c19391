import { Text } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { notify } from '../components/notify.ts'
import { useClient } from '../session/session.tsx'

interface Props {
  isOpen: boolean
  onClose(): void
  onDone(): void
}

export function EmptyTrash({ isOpen, onClose, onDone }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const emptying = useMutation({
    mutationFn: (signal: AbortSignal) => client.emptyTrash({ signal }),
    onSuccess() {
      notify({ message: 'Trash emptied', about: ['trash'] })
      onClose()
      onDone()
    },
    onSettled: () => queries.invalidateQueries(),
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title="Empty the trash?"
      confirmLabel="Empty trash"
      errorTitle="Could not empty the trash"
      mutation={emptying}
      onConfirm={emptying.mutate}
      onClose={onClose}
    >
      <Text size="sm">
        All assets in the trash will be deleted forever, including those on other pages and those
        that a search does not show. This cannot be undone.
      </Text>
    </ConfirmDialog>
  )
}
