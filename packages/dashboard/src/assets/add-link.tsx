import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { DialogForm, fieldProblems } from '../components/dialog-form.tsx'
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
  const mutation = useMutation({
    mutationFn: () => client.store({ filename: filename.trim(), url: url.trim() }),
    onSuccess() {
      onClose()
      return queries.invalidateQueries()
    },
  })
  const problems = fieldProblems(mutation.error)
  return (
    <DialogForm mutation={mutation} submitLabel="Add" onClose={onClose}>
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
    </DialogForm>
  )
}
