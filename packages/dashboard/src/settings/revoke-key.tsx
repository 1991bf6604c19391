import { Alert, Text } from '@mantine/core'
import type { Key } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import { notify } from '../components/notify.ts'
import { useClient } from '../session/session.tsx'
import { useIsCurrentKey } from './use-is-current-key.ts'

interface Props {
  /** Undefined while the dialog is closed. */
  apiKey: Key | undefined
  onClose(): void
}

export function RevokeKey({ apiKey: key, onClose }: Props) {
  const client = useClient()
  const isCurrent = useIsCurrentKey(key)
  const queries = useQueryClient()
  const revocation = useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      client.revokeKey(id, { signal }),
    async onSuccess() {
      notify({ message: 'Key revoked' })
      onClose()
      await queries.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <ConfirmDialog
      isOpen={key !== undefined}
      title="Revoke this key?"
      confirmLabel="Revoke key"
      errorTitle="Could not revoke the key"
      mutation={revocation}
      onConfirm={(signal) => key && revocation.mutate({ id: key.id, signal })}
      onClose={onClose}
    >
      <Name fw={600}>{key?.name ?? ''}</Name>
      <Text size="sm">
        The service will reject all requests with this key and its upload tokens. This cannot be
        undone, but you can create a new key.
      </Text>
      {isCurrent && (
        <Alert color="orange" title="You are signed in with this key">
          You will have to sign in with another key.
        </Alert>
      )}
    </ConfirmDialog>
  )
}
