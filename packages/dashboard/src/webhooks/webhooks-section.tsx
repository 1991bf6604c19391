import { Anchor, Box, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import type { Webhook, WebhookRequest } from '@stowage/client'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { SecretDialog } from '../components/copy.tsx'
import { DialogForm, fieldProblems } from '../components/dialogs.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { countText } from '../format.ts'
import { IconPlus } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { useWebhooks, WebhookState } from './webhooks.tsx'

/** Endpoints that receive the events of the account. */
export function WebhooksSection() {
  const [isAdding, setAdding] = useState(false)
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  )
  return (
    <>
      <LoadedSection query={useWebhooks()} title="Webhooks" action={add}>
        {(webhooks) =>
          webhooks.length === 0 ? (
            <Text c="dimmed">
              No webhooks yet. They notify your shop when a file is ready, replaced or deleted.
            </Text>
          ) : (
            <Stack gap="md">
              {webhooks.map((webhook) => (
                <WebhookRow key={webhook.id} webhook={webhook} />
              ))}
            </Stack>
          )
        }
      </LoadedSection>
      <AddWebhook isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  )
}

function WebhookRow({ webhook }: { webhook: Webhook }) {
  const { id, url, description, types, pending } = webhook
  const sent =
    types === null ? 'All events' : countText(types.length, 'type of event', 'types of events')
  return (
    <Group justify="space-between" wrap="nowrap" align="start">
      <Box miw={0}>
        <Anchor component={Link} href={`/settings/webhooks/${id}`} fw={500}>
          <Name>{url}</Name>
        </Anchor>
        <Text size="xs" c="dimmed">
          {description !== '' && (
            <>
              <bdi>{description}</bdi> ·{' '}
            </>
          )}
          {sent}
          {pending > 0 && ` · ${countText(pending, 'pending delivery', 'pending deliveries')}`}
        </Text>
      </Box>
      <WebhookState webhook={webhook} />
    </Group>
  )
}

/** A form, then the secret of the new webhook. */
function AddWebhook({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
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

type EventTypes = NonNullable<WebhookRequest['types']>

interface WebhookFormProps {
  onCreated(secret: string): void
  onClose(): void
}

function WebhookForm({ onCreated, onClose }: WebhookFormProps) {
  const client = useClient()
  const queries = useQueryClient()
  const [url, setUrl] = useState('')
  const [typeText, setTypeText] = useState('')
  const mutation = useMutation({
    mutationFn: () => {
      // The service refuses unknown types.
      const types = typeText.split(/[\s,]+/).filter(Boolean) as EventTypes
      return client.createWebhook({ url: url.trim(), types: types.length > 0 ? types : null })
    },
    // Removes the secret from the cache.
    gcTime: 0,
    onSuccess({ secret }) {
      onCreated(secret)
      return queries.invalidateQueries({ queryKey: queryKeys.webhooks() })
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
