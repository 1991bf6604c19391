import { Alert, Anchor, Group, Stack, Title } from '@mantine/core'
import type { Webhook } from '@stowage/client'
import { Link } from 'wouter'
import { DateTime } from '../components/date-time.tsx'
import { Detail, DetailList } from '../components/detail-list.tsx'
import { LoadedRecord } from '../components/loaded-record.tsx'
import { Name } from '../components/name.tsx'
import { Section } from '../components/section.tsx'
import { useTitle } from '../components/use-title.ts'
import { IconArrowLeft } from '../icons/icons.ts'
import { DeliveryLog } from './delivery-log.tsx'
import { useWebhook } from './use-webhooks.ts'
import { WebhookActions } from './webhook-actions.tsx'
import { WebhookState } from './webhook-state.tsx'

export function WebhookPage({ id }: { id: string }) {
  const webhook = useWebhook(id)
  useTitle('Webhook')
  return (
    <Stack gap="md">
      <Anchor component={Link} href="/settings" size="sm" w="fit-content">
        <Group gap={4}>
          <IconArrowLeft size={16} aria-hidden /> Settings
        </Group>
      </Anchor>
      <LoadedRecord
        query={webhook}
        kind="webhook"
        notFoundText="It may have been deleted, or the URL may be wrong."
      >
        {(data) => <WebhookContent webhook={data} />}
      </LoadedRecord>
    </Stack>
  )
}

const REASONS = {
  manual: 'It was disabled manually.',
  failing: 'All requests failed for 3 days.',
  gone: 'The endpoint returned 410 (Gone).',
}

function WebhookContent({ webhook }: { webhook: Webhook }) {
  const { url, types, description, disabled_reason, failing_since, created_at } = webhook
  const since = webhook.disabled_at ?? failing_since
  const oldSecretUntil = webhook.previous_secret_valid_until
  return (
    <>
      <Title order={1} size="h2">
        <Name isWrapped>{url}</Name>
      </Title>
      {disabled_reason !== null && (
        <Alert color="orange" title="This webhook is disabled">
          {REASONS[disabled_reason]} When you enable it, it also receives the events that occurred
          while it was disabled.
        </Alert>
      )}
      <WebhookActions webhook={webhook} />
      <Section title="Details">
        <DetailList>
          <Detail name="State">
            <WebhookState webhook={webhook} />
            {since !== null && (
              <>
                {' '}
                since <DateTime value={since} />
              </>
            )}
          </Detail>
          {description !== '' && (
            <Detail name="Description">
              <bdi>{description}</bdi>
            </Detail>
          )}
          <Detail name="Events">{types?.join(', ') ?? 'All'}</Detail>
          {oldSecretUntil !== null && (
            <Detail name="Previous secret">
              Valid until <DateTime value={oldSecretUntil} />
            </Detail>
          )}
          <Detail name="Created">
            <DateTime value={created_at} />
          </Detail>
        </DetailList>
      </Section>
      <DeliveryLog webhook={webhook} />
    </>
  )
}
