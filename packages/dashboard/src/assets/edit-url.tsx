import { Button, Group, Stack, TextInput } from '@mantine/core'
import { type Asset, isStowageError } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'

interface Props {
  asset: Asset
  onClose(): void
}

/** Changes the URL of a link asset: Enter saves it, Escape cancels. */
export function EditUrl({ asset, onClose }: Props) {
  const client = useClient()
  const queries = useQueryClient()
  const [url, setUrl] = useState(asset.url ?? '')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => client.change(asset.id, { url: url.trim() }),
    onSuccess(changed) {
      queries.setQueryData(['asset', asset.id], { ...asset, url: changed.url })
      onClose()
      return queries.invalidateQueries()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (url.trim() === asset.url) onClose()
    else mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          aria-label="URL"
          type="url"
          dir="ltr"
          autoFocus
          required
          value={url}
          onChange={({ currentTarget }) => setUrl(currentTarget.value)}
          onKeyDown={({ key }) => key === 'Escape' && onClose()}
          error={error === null ? undefined : urlErrorText(error)}
        />
        <Group gap="sm" justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ActionButton isBusy={isPending}>Save</ActionButton>
        </Group>
      </Stack>
    </form>
  )
}

function urlErrorText(error: unknown): string {
  const isInvalid = isStowageError(error, 'invalid')
  return (isInvalid && error.errors.url?.join(', ')) || errorText(error)
}
