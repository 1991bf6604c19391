import { Anchor, Box, Button, Group, Stack, Text } from '@mantine/core'
import type { Webhook } from '@stowage/client'
import { useState } from 'react'
import { Link } from 'wouter'
import { LoadedSection } from '../components/loaded-section.tsx'
import { Name } from '../components/name.tsx'
import { countText } from '../format/count-text.ts'
import { IconPlus } from '../icons/icons.ts'
import { AddWebhook } from './add-webhook.tsx'
import { useWebhooks } from './use-webhooks.ts'
import { WebhookState } from './webhook-state.tsx'

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
