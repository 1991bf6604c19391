import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'

interface Props {
  isOpen: boolean
  onClose(): void
}

/** Adds an asset that is a URL instead of a file. */
export function AddLink({ isOpen, onClose }: Props) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title="Add URL">
      <LinkForm onClose={onClose} />
    </Dialog>
  )
}

function LinkForm({ onClose }: { onClose(): void }) {
  const client = useClient()
  const queries = useQueryClient()
  const [filename, setName] = useState('')
  const [url, setUrl] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.store({ filename: filename.trim(), url: url.trim() }),
    onSuccess() {
      onClose()
      return queries.invalidateQueries()
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
          label="URL"
          type="url"
          placeholder="https://"
          required
          data-autofocus
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          error={problems.url?.join(', ')}
        />
        <TextInput
          label="Name"
          dir="auto"
          required
          maxLength={255}
          value={filename}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
          error={problems.filename?.join(', ')}
        />
        {error !== null && !isStowageError(error, 'invalid') && (
          <Alert color="red" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ActionButton isBusy={isPending}>Add</ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
