import { Alert, Button, Group, Stack, TextInput } from '@mantine/core'
import { isStowageError, type WebhookRequest, type WebhookWithSecret } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { ActionButton } from '../components/action-button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { NewSecret } from '../components/new-secret.tsx'
import { errorText } from '../format/error-text.ts'
import { useClient } from '../session/session.tsx'

/** A form, then the secret of the new webhook. While the secret is visible, only its button closes the dialog. */
export function AddWebhook({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const [secret, setSecret] = useState<string>()
  const close = () => {
    setSecret(undefined)
    onClose()
  }
  const canClose = secret === undefined
  return (
    <Dialog
      isOpen={isOpen}
      onClose={close}
      title={canClose ? 'Add webhook' : 'The secret of your webhook'}
      size="lg"
      withCloseButton={canClose}
      closeOnClickOutside={canClose}
      closeOnEscape={canClose}
    >
      {secret === undefined ? (
        <WebhookForm onCreated={(webhook) => setSecret(webhook.secret)} onClose={close} />
      ) : (
        <NewSecret secret={secret} noun="secret" onClose={close}>
          Your endpoint verifies the signature of each request with it.
        </NewSecret>
      )}
    </Dialog>
  )
}

type Types = NonNullable<WebhookRequest['types']>

interface FormProps {
  onCreated(webhook: WebhookWithSecret): void
  onClose(): void
}

function WebhookForm({ onCreated, onClose }: FormProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [url, setUrl] = useState('')
  const [typeText, setTypeText] = useState('')
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => {
      // The service refuses unknown types.
      const types = typeText.split(/[\s,]+/).filter(Boolean) as Types
      return client.createWebhook({ url: url.trim(), types: types.length > 0 ? types : null })
    },
    // Removes the secret from the cache.
    gcTime: 0,
    onSuccess(webhook) {
      onCreated(webhook)
      return queries.invalidateQueries({ queryKey: ['webhooks'] })
    },
  })
  const problems = isStowageError(error, 'invalid') ? error.errors : {}
  const { url: urlProblems, ...typeProblems } = problems
  const submit = (event: FormEvent) => {
    event.preventDefault()
    mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
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
        {error !== null && !isStowageError(error, 'invalid') && (
          <Alert color="red" title="Could not add the webhook" role="alert">
            {errorText(error)}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <ActionButton isBusy={isPending} disabled={url.trim() === ''}>
            Add
          </ActionButton>
        </Group>
      </Stack>
    </form>
  )
}
