import { TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog, DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { assets as texts } from '../i18n/en/assets.ts'
import { changedBy } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'

interface AddLinkProps {
  isOpen: boolean
  onClose(): void
}

/** Adds an asset that is a URL instead of a file. */
export function AddLink({ isOpen, onClose }: AddLinkProps) {
  return (
    <Dialog isOpen={isOpen} onClose={onClose} title={texts.addUrl}>
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
      return queries.invalidateQueries(changedBy('asset.ready'))
    },
  })
  const problems = fieldProblems(mutation.error)
  return (
    <DialogForm mutation={mutation} submitLabel={texts.add} onClose={onClose}>
      <TextInput
        label={texts.kinds.link}
        type="url"
        placeholder="https://"
        required
        data-autofocus
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        error={problems.url?.join(', ')}
      />
      <TextInput
        label={texts.name}
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
