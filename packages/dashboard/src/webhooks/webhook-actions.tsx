import { Button, Group, Text } from '@mantine/core'
import type { DeliveryWithBody, Webhook } from '@stowage/client'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { notify } from '../components/notify.ts'
import { SecretDialog } from '../components/secret-dialog.tsx'
import { useClient } from '../session/session.tsx'
import { responseText } from './response-text.ts'
import { useWebhookAction } from './use-webhooks.ts'

export function WebhookActions({ webhook: { id, enabled } }: { webhook: Webhook }) {
  const client = useClient()
  const [, navigate] = useLocation()
  const [secret, setSecret] = useState<string>()
  const [asking, setAsking] = useState<'rotate' | 'delete'>()
  const ping = useWebhookAction('Could not send the test', () => client.pingWebhook(id), report)
  const toggle = useWebhookAction('Could not change the webhook', () =>
    client.changeWebhook(id, { enabled: !enabled }),
  )
  const rotate = useWebhookAction(
    'Could not replace the secret',
    () => client.rotateWebhookSecret(id),
    (changed) => setSecret(changed.secret),
  )
  const remove = useWebhookAction(
    'Could not delete the webhook',
    () => client.deleteWebhook(id),
    () => navigate('/settings'),
  )
  return (
    <Group gap="xs">
      <ActionButton isBusy={ping.isPending} onClick={() => ping.mutate(undefined)}>
        Send test
      </ActionButton>
      <ActionButton
        variant="default"
        isBusy={toggle.isPending}
        onClick={() => toggle.mutate(undefined)}
      >
        {enabled ? 'Disable' : 'Enable'}
      </ActionButton>
      <Button variant="default" onClick={() => setAsking('rotate')}>
        Replace secret
      </Button>
      <Button variant="light" color="red" onClick={() => setAsking('delete')}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={asking === 'delete'}
        title="Delete this webhook?"
        confirmLabel="Delete webhook"
        onConfirm={() => remove.mutate(undefined)}
        onClose={() => setAsking(undefined)}
      >
        <Text size="sm">Its pending deliveries and its log are deleted, too.</Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'rotate'}
        title="Replace the secret?"
        confirmLabel="Replace secret"
        onConfirm={() => rotate.mutate(undefined)}
        onClose={() => setAsking(undefined)}
      >
        <Text size="sm">
          Requests are signed with both secrets for 24 hours. Set the new secret in your endpoint
          within this time.
        </Text>
      </ConfirmDialog>
      <SecretDialog
        isOpen={secret !== undefined}
        title="The new secret"
        secret={secret ?? ''}
        noun="secret"
        hint="The previous secret is valid for 24 hours."
        onClose={() => setSecret(undefined)}
      />
    </Group>
  )
}

function report({ status, attempts }: DeliveryWithBody): void {
  const isError = status !== 'succeeded'
  const last = attempts.at(-1)
  notify({
    title: isError ? 'The test failed' : 'The test succeeded',
    message: last ? responseText(last) : status,
    isError,
  })
}
