import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { Key } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { errorWords } from '../format/error-words.ts'
import { Name } from '../format/name.tsx'
import { useClient, useSession } from '../session/session.tsx'
import { isOwn } from './own-key.ts'

interface Props {
  /** Undefined: nothing is asked. */
  apiKey: Key | undefined
  onClose(): void
}

export function RevokeKey({ apiKey: key, onClose }: Props) {
  const client = useClient()
  const session = useSession()
  const queries = useQueryClient()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (id: string) => client.revokeKey(id),
    async onSuccess() {
      notifications.show({ message: 'The key is revoked' })
      onClose()
      await queries.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const close = () => {
    reset()
    onClose()
  }
  return (
    <Modal
      opened={key !== undefined}
      onClose={close}
      title="Revoke this key?"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <Stack gap="sm">
        <Name fw={600}>{key?.name ?? ''}</Name>
        <Text size="sm">
          Whatever uses it is refused from now on. This can’t be undone; a new key can be made.
        </Text>
        {key !== undefined && isOwn(key, session.apiKey) && (
          <Alert color="orange" title="You use it now">
            You will have to sign in with another key.
          </Alert>
        )}
        {error !== null && (
          <Alert color="red" title="It could not be revoked" role="alert">
            {errorWords(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={close} data-autofocus>
            Keep
          </Button>
          <Button color="red" loading={isPending} onClick={() => key && mutate(key.id)}>
            Revoke this key
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
