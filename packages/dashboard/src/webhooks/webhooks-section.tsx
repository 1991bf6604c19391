import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core'
import type { Webhook } from '@stowage/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { SecretDialog } from '../components/copy.tsx'
import { LoadedSection } from '../components/sections.tsx'
import { Name } from '../components/values.tsx'
import { countText } from '../format.ts'
import { IconPlus } from '../icons/icons.tsx'
import { useClient } from '../session/session.tsx'
import { WebhookForm } from './webhook-form.tsx'
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
  const client = useClient()
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
      <WebhookForm
        save={(values) => client.createWebhook(values)}
        onDone={(created) => setSecret(created.secret)}
        onClose={close}
      />
    </SecretDialog>
  )
}
