import { Badge, Button, Code, Group, Stack, Text } from '@mantine/core'
import type { Delivery, Webhook } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { DateTime } from '../components/date-time.tsx'
import { LoadedSection } from '../components/loaded-section.tsx'
import { PageLinks } from '../components/page-links.tsx'
import { readPage } from '../components/url-query.ts'
import { useClient } from '../session/session.tsx'
import { responseText } from './response-text.ts'
import { useDeliveries, useWebhookAction } from './use-webhooks.ts'
import classes from './webhooks.module.css'

const COLORS = { pending: 'orange', succeeded: 'green', failed: 'red' }

/** The requests to a webhook, newest first. */
export function DeliveryLog({ webhook }: { webhook: Webhook }) {
  const page = readPage(new URLSearchParams(useSearch()))
  return (
    <LoadedSection query={useDeliveries(webhook.id, page)} title="Deliveries">
      {({ data, meta }) => (
        <Stack gap="sm">
          {meta.total === 0 && (
            <Text c="dimmed">Nothing has been sent yet. Send a test, or change an asset.</Text>
          )}
          {data.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} webhook={webhook} />
          ))}
          {meta.total > 0 && (
            <PageLinks
              label="Pages of deliveries"
              current={page}
              meta={meta}
              hrefOf={(number) => `/settings/webhooks/${webhook.id}?page=${number}`}
            />
          )}
        </Stack>
      )}
    </LoadedSection>
  )
}

function DeliveryRow({ delivery, webhook }: { delivery: Delivery; webhook: Webhook }) {
  const { id, type, status, created_at, attempts } = delivery
  const client = useClient()
  const [isOpen, setOpen] = useState(false)
  const again = useWebhookAction('Could not send the delivery again', () =>
    client.redeliver(webhook.id, id),
  )
  const last = attempts.at(-1)
  return (
    <details
      className={classes.delivery}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Badge size="sm" variant="light" color={COLORS[status]}>
          {status}
        </Badge>{' '}
        <Text component="span" size="sm" fw={500}>
          {type}
        </Text>{' '}
        <Text component="span" size="xs" c="dimmed">
          <DateTime value={created_at} />
          {last && ` · ${responseText(last)}`}
        </Text>
      </summary>
      <Stack gap="xs" mt="xs">
        <Group>
          <Button
            size="compact-sm"
            variant="default"
            disabled={!webhook.enabled}
            aria-disabled={again.isPending || undefined}
            onClick={() => again.isPending || again.mutate(undefined)}
          >
            Send again
          </Button>
          {delivery.next_attempt_at && (
            <Text size="xs" c="dimmed">
              Next attempt <DateTime value={delivery.next_attempt_at} />
            </Text>
          )}
        </Group>
        {attempts.map((attempt) => (
          <div key={attempt.attempted_at}>
            <Text size="xs" c="dimmed">
              <DateTime value={attempt.attempted_at} /> · {responseText(attempt)}
            </Text>
            {attempt.response && <Code block>{attempt.response}</Code>}
          </div>
        ))}
        {isOpen && <Body webhookId={webhook.id} id={id} />}
      </Stack>
    </details>
  )
}

/** The body of the request, which lists do not contain. */
function Body({ webhookId, id }: { webhookId: string; id: string }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: ['delivery', id],
    queryFn: ({ signal }) => client.delivery(webhookId, id, { signal }),
  })
  if (data === undefined) return null
  return (
    <div>
      <Text size="xs" c="dimmed">
        Request
      </Text>
      <Code block>{data.body}</Code>
    </div>
  )
}
