import { Alert, Anchor, Badge, Button, Code, Group, Stack, Text, Title } from '@mantine/core'
import type { Delivery, DeliveryAttempt, DeliveryWithBody, Webhook } from '@stowage/client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { ActionButton } from '../components/action-button.tsx'
import { SecretDialog } from '../components/copy.tsx'
import { ConfirmDialog, Dialog } from '../components/dialogs.tsx'
import { PageLinks } from '../components/lists.tsx'
import { dismissNotices, notify } from '../components/notifications.tsx'
import { useTitle } from '../components/page.tsx'
import {
  Detail,
  DetailList,
  LoadedRecord,
  LoadedSection,
  Section,
} from '../components/sections.tsx'
import { readPage } from '../components/url-query.ts'
import { DateTime, Name } from '../components/values.tsx'
import { countText } from '../format.ts'
import { IconArrowLeft } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { WebhookForm } from './webhook-form.tsx'
import classes from './webhooks.module.css'
import { useDeliveries, useWebhook, useWebhookAction, WebhookState } from './webhooks.tsx'

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
  const { url, types, description, disabled_reason, failing_since, created_at, pending } = webhook
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
                since <DateTime value={since} hasSeconds />
              </>
            )}
          </Detail>
          {description !== '' && (
            <Detail name="Description">
              <bdi>{description}</bdi>
            </Detail>
          )}
          <Detail name="Events">{types?.join(', ') ?? 'All'}</Detail>
          {pending > 0 && (
            <Detail name="Waiting">{countText(pending, 'delivery', 'deliveries')}</Detail>
          )}
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

function WebhookActions({ webhook }: { webhook: Webhook }) {
  const { id, enabled } = webhook
  const client = useClient()
  const [, navigate] = useLocation()
  const [secret, setSecret] = useState<string>()
  const [asking, setAsking] = useState<'edit' | 'rotate' | 'delete'>()
  const ping = useWebhookAction(
    'Could not send the test',
    () => client.pingWebhook(id),
    (delivery) => report(id, delivery),
  )
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
      <Button
        variant="default"
        onClick={() => {
          // The result of an earlier test would cover the dialog.
          dismissNotices([id])
          setAsking('edit')
        }}
      >
        Edit
      </Button>
      <Button variant="default" onClick={() => setAsking('rotate')}>
        Replace secret
      </Button>
      <Button variant="light" color="red" onClick={() => setAsking('delete')}>
        Delete
      </Button>
      <Dialog
        isOpen={asking === 'edit'}
        onClose={() => setAsking(undefined)}
        title="Edit webhook"
        size="lg"
      >
        <WebhookForm
          webhook={webhook}
          save={(values) => client.changeWebhook(id, values)}
          onDone={() => setAsking(undefined)}
          onClose={() => setAsking(undefined)}
        />
      </Dialog>
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

function report(webhookId: string, { status, attempts }: DeliveryWithBody): void {
  const isError = status !== 'succeeded'
  const last = attempts.at(-1)
  notify({
    title: isError ? 'The test failed' : 'The test succeeded',
    message: last ? responseText(last) : status,
    isError,
    about: [webhookId],
  })
}

const STATUS_COLORS = { pending: 'orange', succeeded: 'green', failed: 'red' }

/** The requests to a webhook, newest first. */
function DeliveryLog({ webhook }: { webhook: Webhook }) {
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
        <Badge size="sm" variant="light" color={STATUS_COLORS[status]}>
          {status}
        </Badge>{' '}
        <Text component="span" size="sm" fw={500}>
          {type}
        </Text>{' '}
        <Text component="span" size="xs" c="dimmed">
          <DateTime value={created_at} hasSeconds />
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
              Next attempt <DateTime value={delivery.next_attempt_at} hasSeconds />
            </Text>
          )}
        </Group>
        {attempts.map((attempt) => (
          <div key={attempt.attempted_at}>
            <Text size="xs" c="dimmed">
              <DateTime value={attempt.attempted_at} hasSeconds /> · {responseText(attempt)}
            </Text>
            {attempt.response && <Code block>{attempt.response}</Code>}
          </div>
        ))}
        {isOpen && <RequestBody webhookId={webhook.id} id={id} />}
      </Stack>
    </details>
  )
}

/** The body of the request, which lists do not contain. */
function RequestBody({ webhookId, id }: { webhookId: string; id: string }) {
  const client = useClient()
  const { data } = useQuery({
    queryKey: queryKeys.delivery(id),
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

/** Such as `HTTP 200 in 85 ms`. */
function responseText({ status, error, duration_ms }: DeliveryAttempt): string {
  return status === null ? `${error} (${duration_ms} ms)` : `HTTP ${status} in ${duration_ms} ms`
}
