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
import { webhooks as texts } from '../i18n/en/webhooks.ts'
import { fill, plural, rich } from '../i18n/texts.ts'
import { IconArrowLeft } from '../icons/icons.tsx'
import { queryKeys } from '../query-keys.ts'
import { useClient } from '../session/session.tsx'
import { WebhookForm } from './webhook-form.tsx'
import classes from './webhooks.module.css'
import { useDeliveries, useWebhook, useWebhookAction, WebhookState } from './webhooks.tsx'

export function WebhookPage({ id }: { id: string }) {
  const webhook = useWebhook(id)
  useTitle(texts.title)
  return (
    <Stack gap="md">
      <Anchor component={Link} href="/settings" size="sm" w="fit-content">
        <Group gap={4}>
          <IconArrowLeft size={16} aria-hidden /> {texts.settings}
        </Group>
      </Anchor>
      <LoadedRecord query={webhook} kind="webhook" notFoundText={texts.notFoundHint}>
        {(data) => <WebhookContent webhook={data} />}
      </LoadedRecord>
    </Stack>
  )
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
        <Alert color="orange" title={texts.isDisabled}>
          {texts.reasons[disabled_reason]} {texts.enableHint}
        </Alert>
      )}
      <WebhookActions webhook={webhook} />
      <Section title={texts.details}>
        <DetailList>
          <Detail name={texts.state}>
            {since === null ? (
              <WebhookState webhook={webhook} />
            ) : (
              rich(texts.stateSince, {
                state: <WebhookState webhook={webhook} />,
                date: <DateTime value={since} hasSeconds />,
              })
            )}
          </Detail>
          {description !== '' && (
            <Detail name={texts.description}>
              <bdi>{description}</bdi>
            </Detail>
          )}
          <Detail name={texts.events}>{types?.join(', ') ?? texts.all}</Detail>
          {pending > 0 && (
            <Detail name={texts.waiting}>{plural(texts.deliveryCount, pending)}</Detail>
          )}
          {oldSecretUntil !== null && (
            <Detail name={texts.previousSecret}>
              {rich(texts.validUntil, { date: <DateTime value={oldSecretUntil} /> })}
            </Detail>
          )}
          <Detail name={texts.created}>
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
    texts.sendTestFailed,
    () => client.pingWebhook(id),
    (delivery) => report(id, delivery),
  )
  const toggle = useWebhookAction(texts.changeFailed, () =>
    client.changeWebhook(id, { enabled: !enabled }),
  )
  const rotate = useWebhookAction(
    texts.rotateFailed,
    () => client.rotateWebhookSecret(id),
    (changed) => setSecret(changed.secret),
  )
  const remove = useWebhookAction(
    texts.deleteFailed,
    () => client.deleteWebhook(id),
    () => navigate('/settings'),
  )
  return (
    <Group gap="xs">
      <ActionButton isBusy={ping.isPending} onClick={() => ping.mutate(undefined)}>
        {texts.sendTest}
      </ActionButton>
      <ActionButton
        variant="default"
        isBusy={toggle.isPending}
        onClick={() => toggle.mutate(undefined)}
      >
        {enabled ? texts.disable : texts.enable}
      </ActionButton>
      <Button
        variant="default"
        onClick={() => {
          // The result of an earlier test would cover the dialog.
          dismissNotices([id])
          setAsking('edit')
        }}
      >
        {texts.edit}
      </Button>
      <Button variant="default" onClick={() => setAsking('rotate')}>
        {texts.rotate}
      </Button>
      <Button variant="light" color="red" onClick={() => setAsking('delete')}>
        {texts.delete}
      </Button>
      <Dialog
        isOpen={asking === 'edit'}
        onClose={() => setAsking(undefined)}
        title={texts.editTitle}
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
        title={texts.deleteQuestion}
        confirmLabel={texts.deleteWebhook}
        onConfirm={() => remove.mutate(undefined)}
        onClose={() => setAsking(undefined)}
      >
        <Text size="sm">{texts.deleteHint}</Text>
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'rotate'}
        title={texts.rotateQuestion}
        confirmLabel={texts.rotate}
        onConfirm={() => rotate.mutate(undefined)}
        onClose={() => setAsking(undefined)}
      >
        <Text size="sm">{texts.rotateHint}</Text>
      </ConfirmDialog>
      <SecretDialog
        isOpen={secret !== undefined}
        title={texts.rotated}
        secret={secret ?? ''}
        noun="secret"
        hint={texts.rotatedHint}
        onClose={() => setSecret(undefined)}
      />
    </Group>
  )
}

function report(webhookId: string, { status, attempts }: DeliveryWithBody): void {
  const isError = status !== 'succeeded'
  const last = attempts.at(-1)
  notify({
    title: isError ? texts.testFailed : texts.testSucceeded,
    message: last ? responseText(last) : texts.status[status],
    isError,
    about: [webhookId],
  })
}

const STATUS_COLORS = { pending: 'orange', succeeded: 'green', failed: 'red' }

/** The requests to a webhook, newest first. */
function DeliveryLog({ webhook }: { webhook: Webhook }) {
  const page = readPage(new URLSearchParams(useSearch()))
  return (
    <LoadedSection query={useDeliveries(webhook.id, page)} title={texts.deliveries}>
      {({ data, meta }) => (
        <Stack gap="sm">
          {meta.total === 0 && <Text c="dimmed">{texts.noDeliveries}</Text>}
          {data.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} webhook={webhook} />
          ))}
          {meta.total > 0 && (
            <PageLinks
              label={texts.deliveryPages}
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
  const again = useWebhookAction(texts.againFailed, () => client.redeliver(webhook.id, id))
  const last = attempts.at(-1)
  return (
    <details
      className={classes.delivery}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Badge size="sm" variant="light" color={STATUS_COLORS[status]}>
          {texts.status[status]}
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
            {texts.again}
          </Button>
          {delivery.next_attempt_at && (
            <Text size="xs" c="dimmed">
              {rich(texts.nextAttempt, {
                date: <DateTime value={delivery.next_attempt_at} hasSeconds />,
              })}
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
        {texts.request}
      </Text>
      <Code block>{data.body}</Code>
    </div>
  )
}

/** Such as `HTTP 200 in 85 ms`. */
function responseText({ status, error, duration_ms }: DeliveryAttempt): string {
  return status === null
    ? fill(texts.failedIn, { error: error ?? '', ms: `${duration_ms}` })
    : fill(texts.respondedIn, { status: `${status}`, ms: `${duration_ms}` })
}
