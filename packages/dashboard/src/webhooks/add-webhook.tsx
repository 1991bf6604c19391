import { TextInput } from '@mantine/core'
import type { WebhookRequest } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { DialogForm, fieldProblems } from '../components/dialog-form.tsx'
import { SecretDialog } from '../components/secret-dialog.tsx'
import { useClient } from '../session/session.tsx'

/** A form, then the secret of the new webhook. */
export function AddWebhook({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  return (
    <SecretDialog
      isOpen={isOpen}
      title={secret === undefined ? 'Add webhook' : 'The secret of your webhook'}
      secret={secret}
      noun="secret"
      hint="Your endpoint verifies the signature of each request with it."
      onClose={close}
    >
      <WebhookForm onCreated={setSecret} onClose={close} />
    </SecretDialog>
  )
}

type Types = NonNullable<WebhookRequest['types']>

interface FormProps {
  onCreated(secret: string): void
  onClose(): void
}

function WebhookForm({ onCreated, onClose }: FormProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [url, setUrl] = useState('')
  const [typeText, setTypeText] = useState('')
  const mutation = useMutation({
    mutationFn: () => {
      // The service refuses unknown types.
      const types = typeText.split(/[\s,]+/).filter(Boolean) as Types
      return client.createWebhook({ url: url.trim(), types: types.length > 0 ? types : null })
    },
    // Removes the secret from the cache.
    gcTime: 0,
    onSuccess({ secret }) {
      onCreated(secret)
      return queries.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const { url: urlProblems, ...typeProblems } = fieldProblems(mutation.error)
  return (
    <DialogForm
      mutation={mutation}
      errorTitle="Could not add the webhook"
      submitLabel="Add"
      isIncomplete={url.trim() === ''}
      onClose={onClose}
    >
      <TextInput
        label="URL"
        description="An endpoint of your own that receives events as signed POST requests"
        placeholder="https://shop.example/webhooks"
        type="url"
        required
        data-autofocus
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        error={urlProblems?.join(', ')}
      />
      <TextInput
        label="Types of events"
        description="Separated by commas. Leave it empty to send all events"
        placeholder="asset.ready, asset.deleted"
        value={typeText}
        onChange={({ currentTarget }) => setTypeText(currentTarget.value)}
        error={Object.values(typeProblems).flat().join(', ') || undefined}
      />
    </DialogForm>
  )
}
