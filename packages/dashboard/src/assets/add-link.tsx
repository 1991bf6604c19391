import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { modals } from '@mantine/modals'
import { isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { errorWords } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'

/** An address elsewhere, as an asset. */
export function openAddLink(): void {
  modals.open({
    title: 'Add a link',
    closeButtonProps: { 'aria-label': 'Close' },
    children: <AddLink />,
  })
}

function AddLink() {
  const client = useClient()
  const queries = useQueryClient()
  const [filename, setName] = useState('')
  const [url, setUrl] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.store({ filename: filename.trim(), url: url.trim() }),
    onSuccess() {
      modals.closeAll()
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
          label="Address"
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
            {errorWords(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={() => modals.closeAll()}>
            Close
          </Button>
          <Button type="submit" loading={isPending}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
