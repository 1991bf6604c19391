import { UnreadableEvent } from '../../domain/errors.ts'
import { type Event, type EventActor, type EventType, toEventWebhook } from '../../domain/event.ts'
import {
  type Attempt,
  type Delivery,
  type DeliveryStatus,
  type DisabledReason,
  type ListedDelivery,
  MAX_LOGGED_ATTEMPTS,
  type PreviousSecret,
  type Webhook,
  type WebhookState,
} from '../../domain/webhook.ts'
import type { ClaimedDelivery, ClaimLimits, ImportedWebhook, WebhookChange } from '../event-data.ts'
import { DELIVERY_JOB, toEvent } from './events.ts'
import { type Time, toDate, toDateOrNull } from './rows.ts'

/** The columns of a webhook, which both engines store in the same way. */
export interface WebhookRow {
  id: string
  account_id: string
  url: string
  description: string
  types: string | null
  secret: string
  previous_secrets: string
  last_event: number
  created_at: Time
  updated_at: Time
  disabled_at: Time | null
  disabled_reason: DisabledReason | null
  failing_since: Time | null
  missed_events: number
  missed_at: Time | null
}

export type WebhookStateRow = WebhookRow & { pending: number }

/** The columns of a webhook, and the number of its pending deliveries. */
export const WEBHOOK_STATE = `webhooks.*, (select count(*) from deliveries
  where webhook_id = webhooks.id and status = 'pending') as pending`

export interface ListedDeliveryRow {
  id: string
  webhook_id: string
  event_id: number | null
  event_at: Time | null
  type: string
  status: DeliveryStatus
  created_at: Time
  due_at: Time | null
  claims: number
  failures: number
  attempts: string
}

export type DeliveryRow = ListedDeliveryRow & { body: string | null }

/** The columns of `ListedDeliveryRow`. */
export const DELIVERY_COLUMNS =
  'id, webhook_id, event_id, event_at, type, status, created_at, due_at, claims, failures, attempts'

export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    description: row.description,
    types: row.types === null ? null : JSON.parse(row.types),
    secret: row.secret,
    previousSecrets: readPreviousSecrets(row.previous_secrets),
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at),
    disabled:
      row.disabled_at === null || row.disabled_reason === null
        ? null
        : { at: toDate(row.disabled_at), reason: row.disabled_reason },
    failingSince: toDateOrNull(row.failing_since),
    missed: row.missed_at === null ? null : { count: row.missed_events, at: toDate(row.missed_at) },
  }
}

/** The columns of an imported webhook. */
export function toWebhookColumns(account: string, webhook: ImportedWebhook) {
  return {
    id: webhook.id,
    account_id: account,
    url: webhook.url,
    description: webhook.description,
    types: writeTypes(webhook.types),
    secret: webhook.secret,
    previous_secrets: writePreviousSecrets(webhook.previousSecrets),
    last_event: webhook.lastEvent,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
    disabled_at: webhook.disabled?.at ?? null,
    disabled_reason: webhook.disabled?.reason ?? null,
    failing_since: webhook.failingSince,
    missed_events: webhook.missed?.count ?? 0,
    missed_at: webhook.missed?.at ?? null,
  }
}

/** The columns of a webhook after a change. A new URL, and a webhook that is enabled again, clear `failing_since`. */
export function changedColumns(webhook: Webhook, change: WebhookChange, now: Date) {
  const { isEnabled = webhook.disabled === null } = change
  const { url = webhook.url, types = webhook.types } = change
  const disabled = isEnabled ? null : (webhook.disabled ?? { at: now, reason: 'manual' })
  const isRestarted = (isEnabled && webhook.disabled !== null) || url !== webhook.url
  return {
    url,
    description: change.description ?? webhook.description,
    types: writeTypes(types),
    updated_at: now,
    disabled_at: disabled?.at ?? null,
    disabled_reason: disabled?.reason ?? null,
    failing_since: isRestarted ? null : webhook.failingSince,
  }
}

/** The columns of the event of a claimed delivery, if it was found. */
export interface ClaimedEventRow {
  event_type: EventType
  event_created_at: Time
  actor: EventActor | string
  data: unknown
}

/** A claimed delivery with its event. `event` is not needed if the delivery has a body. */
export function toClaimedDelivery(
  webhook: Webhook,
  row: DeliveryRow,
  { event, claimedAt }: { event: ClaimedEventRow | undefined; claimedAt: Date },
): ClaimedDelivery {
  const delivery = toDelivery(row)
  return {
    webhook,
    delivery,
    event: event && readEvent(webhook.accountId, delivery.eventId ?? 0, event),
    bytes: delivery.body === null ? sizeOf(event?.data) : Buffer.byteLength(delivery.body),
    claim: row.claims,
    claimedAt,
  }
}

function readEvent(accountId: string, id: number, row: ClaimedEventRow): Event | UnreadableEvent {
  const { event_type: type, event_created_at, actor, data } = row
  try {
    return toEvent({ accountId, id, type, createdAt: toDate(event_created_at), actor, data })
  } catch (error) {
    if (error instanceof UnreadableEvent) return error
    throw error
  }
}

function sizeOf(data: unknown): number {
  if (data === undefined) return 0
  return Buffer.byteLength(typeof data === 'string' ? data : JSON.stringify(data))
}

/** The writer, the type and the data of the event of a webhook that the service has disabled. */
export function disabledEvent(webhook: Webhook) {
  const writer = { account: webhook.accountId, actor: DELIVERY_JOB }
  return [writer, 'webhook.updated', toEventWebhook(webhook, ['enabled'])] as const
}

export function toWebhookState(row: WebhookStateRow): WebhookState {
  return { ...toWebhook(row), pending: row.pending }
}

export function toImportedWebhook(row: WebhookStateRow): ImportedWebhook & WebhookState {
  return { ...toWebhookState(row), lastEvent: row.last_event }
}

export function toDelivery(row: DeliveryRow): Delivery {
  return { ...toListedDelivery(row), body: row.body }
}

export function toListedDelivery(row: ListedDeliveryRow): ListedDelivery {
  return {
    id: row.id,
    webhookId: row.webhook_id,
    eventId: row.event_id,
    ...(row.event_at && { eventAt: toDate(row.event_at) }),
    type: row.type,
    status: row.status,
    createdAt: toDate(row.created_at),
    dueAt: toDateOrNull(row.due_at),
    failures: row.failures,
    attempts: readAttempts(row.attempts),
  }
}

/** The columns of an imported delivery. */
export function toDeliveryColumns(delivery: Delivery) {
  return {
    id: delivery.id,
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event_at: delivery.eventAt ?? null,
    type: delivery.type,
    body: delivery.body,
    status: delivery.status,
    created_at: delivery.createdAt,
    due_at: delivery.dueAt,
    failures: delivery.failures,
    attempts: writeAttempts(delivery.attempts),
  }
}

export function writeTypes(types: string[] | null): string | null {
  return types === null ? null : JSON.stringify(types)
}

function readPreviousSecrets(text: string): PreviousSecret[] {
  const stored: { secret: string; validUntil: number }[] = JSON.parse(text)
  return stored.map(({ secret, validUntil }) => ({ secret, validUntil: new Date(validUntil) }))
}

function writePreviousSecrets(secrets: PreviousSecret[]): string {
  return JSON.stringify(
    secrets.map(({ secret, validUntil }) => ({ secret, validUntil: validUntil.getTime() })),
  )
}

/** The replaced secrets after a rotation. Those that are no longer valid are dropped. */
export function previousSecretsAfter(
  row: Pick<WebhookRow, 'secret' | 'previous_secrets'>,
  { now, validUntil, maxPrevious }: { now: Date; validUntil: Date; maxPrevious: number },
): string {
  const valid = readPreviousSecrets(row.previous_secrets).filter((old) => old.validUntil > now)
  return writePreviousSecrets([{ secret: row.secret, validUntil }, ...valid].slice(0, maxPrevious))
}

export function writeAttempts(attempts: Attempt[]): string {
  return JSON.stringify(
    attempts
      .slice(-MAX_LOGGED_ATTEMPTS)
      .map((attempt) => ({ ...attempt, at: attempt.at.getTime() })),
  )
}

function readAttempts(text: string): Attempt[] {
  const stored: (Omit<Attempt, 'at'> & { at: number })[] = JSON.parse(text)
  return stored.map((attempt) => ({ ...attempt, at: new Date(attempt.at) }))
}

/** The accounts whose running requests have reached the limit of bytes of an account. */
export function fullAccounts({ maxBytesPerAccount, runningBytes }: ClaimLimits): string[] {
  return [...runningBytes].flatMap(([id, bytes]) => (bytes < maxBytesPerAccount ? [] : [id]))
}
