import { Alert, Button, Group, Modal, Radio, Stack, TextInput } from '@mantine/core'
import { isStowageError, type NewKey } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorWords } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'
import { NewSecret } from './new-secret.tsx'

type Scope = NewKey['scope']

const SCOPES: { value: Scope; label: string; description: string }[] = [
  { value: 'read', label: 'Read', description: 'Lists and downloads. Changes nothing.' },
  { value: 'write', label: 'Write', description: 'Also uploads, changes, deletes and links.' },
  { value: 'manage', label: 'Manage', description: 'Also makes and revokes keys.' },
]

/** First what it is for, then its secret. While that is shown, only its own button closes. */
export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [made, setMade] = useState<NewKey>()
  const close = () => {
    setMade(undefined)
    onClose()
  }
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made === undefined ? 'Create a key' : 'Your new key'}
      size="lg"
      withCloseButton={made === undefined}
      closeOnClickOutside={made === undefined}
      closeOnEscape={made === undefined}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {made === undefined ? (
        <Details onMade={setMade} onClose={close} />
      ) : (
        <NewSecret secret={made.secret} onClose={close} />
      )}
    </Modal>
  )
}

function Details({ onMade, onClose }: { onMade(key: NewKey): void; onClose(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('write')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.createKey({ name: name.trim(), scope }),
    // The secret is not kept with the answers.
    gcTime: 0,
    onSuccess(key) {
      onMade(key)
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
          description="Where it is used, so that you know later which to revoke"
          placeholder="shop backend"
          dir="auto"
          required
          maxLength={255}
          data-autofocus
          value={name}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={problems.name?.join(', ')}
        />
        <Radio.Group
          label="What it may do"
          value={scope}
          onChange={(value) => setScope(value as Scope)}
        >
          <Stack gap="sm" mt="xs">
            {SCOPES.map((option) => (
              <Radio key={option.value} {...option} />
            ))}
          </Stack>
        </Radio.Group>
        {error !== null && !isStowageError(error, 'invalid') && (
          <Alert color="red" title="It could not be created" role="alert">
            {errorWords(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={isPending} disabled={name.trim() === ''}>
            Create
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
