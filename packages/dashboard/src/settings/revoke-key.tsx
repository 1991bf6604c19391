import { Alert, Text } from '@mantine/core'
import type { Key } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Confirm } from '../components/confirm-dialog.tsx'
import { Name } from '../components/name.tsx'
import { showNotice } from '../components/notify.ts'
import { useClient, useSession } from '../session/session.tsx'
import { isOwn } from './is-current-key.ts'

interface Props {
  /** Undefined: nothing is asked. */
  apiKey: Key | undefined
  onClose(): void
}

export function RevokeKey({ apiKey: key, onClose }: Props) {
  const client = useClient()
  const session = useSession()
  const queries = useQueryClient()
  const revocation = useMutation({
    mutationFn: ({ id, signal }: { id: string; signal: AbortSignal }) =>
      client.revokeKey(id, { signal }),
    async onSuccess() {
      showNotice({ message: 'The key is revoked' })
      onClose()
      await queries.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <Confirm
      isOpen={key !== undefined}
      title="Revoke this key?"
      verb="Revoke this key"
      failure="It could not be revoked"
      outcome={revocation}
      onConfirm={(signal) => key && revocation.mutate({ id: key.id, signal })}
      onClose={onClose}
    >
      <Name fw={600}>{key?.name ?? ''}</Name>
      <Text size="sm">
        Whatever uses it is refused from now on. This can’t be undone; a new key can be made.
      </Text>
      {key !== undefined && isOwn(key, session.apiKey) && (
        <Alert color="orange" title="You use it now">
          You will have to sign in with another key.
        </Alert>
      )}
    </Confirm>
  )
}
