import { Alert, Button, Group, Radio, Stack, TextInput } from '@mantine/core'
import { isStowageError, type NewKey } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { NewSecret } from '../components/new-secret.tsx'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'

type Scope = NewKey['scope']

const SCOPES: { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'List and download.' },
  {
    value: 'write',
    label: 'Write',
    description: 'Read, and also upload, edit, attach and delete.',
  },
  { value: 'manage', label: 'Manage', description: 'Write, and also manage keys and webhooks.' },
]

/** A form, then the secret of the new key. While the secret is visible, only its button closes the dialog. */
export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [created, setCreated] = useState<NewKey>()
  const close = () => {
    setCreated(undefined)
    onClose()
  }
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={created === undefined ? 'Create key' : 'Your new key'}
      size="lg"
      withCloseButton={created === undefined}
      closeOnClickOutside={created === undefined}
      closeOnEscape={created === undefined}
    >
      {created === undefined ? (
        <KeyForm onCreated={setCreated} onClose={close} />
      ) : (
        <NewSecret secret={created.secret} noun="key" onClose={close}>
          Store it like a password. Anyone who has the key can use it.
        </NewSecret>
      )}
    </Dialog>
  )
}

function KeyForm({ onCreated, onClose }: { onCreated(key: NewKey): void; onClose(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('write')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.createKey({ name: name.trim(), scope }),
    // Removes the secret from the cache.
    gcTime: 0,
    onSuccess(key) {
      onCreated(key)
      return queries.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  const problems = isStowageError(error, 'invalid') ? error.errors : {}
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label="Name"
          description="Where the key is used, so that you know later which key to revoke"
          placeholder="shop backend"
          dir="auto"
          required
          maxLength={255}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={problems.name?.join(', ')}
        />
        <Radio.Group label="Scope" value={scope} onChange={(value) => setScope(value as Scope)}>
          <Stack gap="sm" mt="xs">
            {SCOPES.map((option) => (
              <Radio key={option.value} {...option} />
            ))}
          </Stack>
        </Radio.Group>
        {error !== null && !isStowageError(error, 'invalid') && (
          <Alert color="red" title="Could not create the key" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ActionButton isBusy={isPending} disabled={name.trim() === ''}>
            Create
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
