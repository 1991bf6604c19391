import { Radio, Stack, TextInput } from '@mantine/core'
import type { NewKey } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm, fieldProblems } from '../components/dialog-form.tsx'
import { SecretDialog } from '../components/secret-dialog.tsx'
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

/** A form, then the secret of the new key. */
export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  return (
    <SecretDialog
      isOpen={isOpen}
      title={secret === undefined ? 'Create key' : 'Your new key'}
      secret={secret}
      noun="key"
      hint="Store it like a password. Anyone who has the key can use it."
      onClose={close}
    >
      <KeyForm onCreated={setSecret} onClose={close} />
    </SecretDialog>
  )
}

function KeyForm({ onCreated, onClose }: { onCreated(secret: string): void; onClose(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('write')
  const mutation = useMutation({
    mutationFn: () => client.createKey({ name: name.trim(), scope }),
    // Removes the secret from the cache.
    gcTime: 0,
    onSuccess({ secret }) {
      onCreated(secret)
      return queries.invalidateQueries({ queryKey: ['keys'] })
    },
  })
  return (
    <DialogForm
      mutation={mutation}
      errorTitle="Could not create the key"
      submitLabel="Create"
      isIncomplete={name.trim() === ''}
      onClose={onClose}
    >
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
        error={fieldProblems(mutation.error).name?.join(', ')}
      />
      <Radio.Group label="Scope" value={scope} onChange={(value) => setScope(value as Scope)}>
        <Stack gap="sm" mt="xs">
          {SCOPES.map((option) => (
            <Radio key={option.value} {...option} />
          ))}
        </Stack>
      </Radio.Group>
    </DialogForm>
  )
}
