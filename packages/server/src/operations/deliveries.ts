import { MAX_PENDING_DELIVERIES } from '@stowage/protocol'
import { openWebhookSecrets } from '../crypto/secret-key.ts'
import type {
  AttemptResult,
  ClaimedDelivery,
  DeliveryQuery,
  WebhookBehind,
} from '../database/event-data.ts'
import { ServiceError, UnreadableEvent } from '../domain/errors.ts'
import type { Event as DomainEvent } from '../domain/event.ts'
import type { PagePosition } from '../domain/paging.ts'
import {
  type Attempt,
  type Delivery,
  isSuccess,
  type ListedDelivery,
  nextAttemptAt,
  PING,
  type Webhook,
  webhookHeaders,
} from '../domain/webhook.ts'
import { limitConcurrency, settleAll } from '../iterables/concurrency.ts'
import { presentEvent } from '../wire/events.ts'
import type { AccountContext, Context } from './context.ts'
import { readPage } from './listing.ts'
import { deliveryNotFound, webhookNotFound } from './refusals.ts'
import { getWebhook } from './webhooks.ts'

/** How many requests to a webhook run at the same time, on all instances together. */
export const MAX_ATTEMPTS_PER_WEBHOOK = 10

/** The same for a webhook whose last attempt failed. */
export const MAX_ATTEMPTS_PER_FAILING_WEBHOOK = 2

/**
 * Other instances skip a delivery for this long after it was claimed. Short, because the requests of a killed instance
 * count as running until then. A request that takes longer extends its claim.
 */
export const CLAIM_MS = 6_000

/** The claim of a ping is not extended, so it must outlast the request and the recording of its result. */
const PING_CLAIM_MS = 30_000

/** A webhook whose attempts have failed for this long is disabled. */
const FAILING_FOR_MS = 3 * 24 * 3_600_000

const MAX_WEBHOOKS_PER_RUN = 100
const MAX_EVENTS_PER_RUN = 100
/** Fewer than the default number of database connections. Writes at the same time also share a commit on SQLite. */
const MAX_CONCURRENT_WRITES = 4

interface Queued {
  /** How many deliveries were queued. */
  queued: number
  /** Whether there may be more events. */
  hasMore: boolean
  /** Whether a webhook was changed: its pending deliveries may have become due. */
  isWebhookChanged: boolean
}

/**
 * Turns the next events of each webhook into deliveries. Each event becomes one delivery, even if several instances
 * do this at the same time, or one of them is killed. If the deliveries of one webhook cannot be queued, those of the
 * others still are, and the call throws at the end.
 */
export async function queueDeliveries(context: Context): Promise<Queued> {
  const options = { limit: MAX_WEBHOOKS_PER_RUN, maxPending: MAX_PENDING_DELIVERIES }
  const behind = await context.database.listWebhooksBehind(options)
  const inSlot = limitConcurrency(MAX_CONCURRENT_WRITES)
  const positions = Map.groupBy(behind, ({ accountId, lastEvent }) => `${accountId} ${lastEvent}`)
  const failures: unknown[] = []
  let hasMore = behind.length === MAX_WEBHOOKS_PER_RUN
  let queued = 0
  let isWebhookChanged = false
  for (const webhooks of positions.values()) {
    try {
      const next = await queueNext(context, webhooks, inSlot)
      queued += next.queued
      if (next.hasMore) hasMore = true
      if (next.isWebhookChanged) isWebhookChanged = true
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return { queued, hasMore, isWebhookChanged }
}

/** Reads the events once for all webhooks of an account that have received the same events. */
async function queueNext(
  context: Context,
  webhooks: WebhookBehind[],
  inSlot: ReturnType<typeof limitConcurrency>,
): Promise<Queued> {
  const [first] = webhooks
  const nothing = { queued: 0, hasMore: false, isWebhookChanged: false }
  if (first === undefined) return nothing
  const { database, newId } = context
  const { accountId, lastEvent } = first
  const { events, lastId } = await database.listEventTypes(accountId, lastEvent, MAX_EVENTS_PER_RUN)
  const last = events.length < MAX_EVENTS_PER_RUN ? undefined : events.at(-1)
  const until = last?.id ?? lastId
  if (until <= lastEvent) return nothing
  // The IDs have no gaps, so the events that are not found were forgotten before they could be sent.
  const missed = until - lastEvent - events.length
  const createdAt = await database.readClock()
  let queued = 0
  await settleAll(
    webhooks.map(({ id, types }) =>
      inSlot(async () => {
        const deliveries = events
          .filter(({ type }) => types === null || types.includes(type))
          .map((event) => ({
            id: newId(),
            eventId: event.id,
            eventAt: event.createdAt,
            type: event.type,
            body: null,
            createdAt,
          }))
        const range = { after: lastEvent, until, missed }
        if (await database.addDeliveries(id, range, deliveries)) queued += deliveries.length
      }),
    ),
  )
  const isWebhookChanged = events.some(({ type }) => type.startsWith('webhook.'))
  return { queued, hasMore: until < lastId, isWebhookChanged }
}

const GONE = 410

/** `released`: the instance is shutting down, and the delivery is due again. */
export type AttemptOutcome = AttemptResult['outcome'] | 'released'

/** The context of the job, or of the call that sends a ping. */
type AttemptContext = Pick<AccountContext, 'database' | 'secretKey' | 'sendWebhook' | 'warn'>

/**
 * Sends a claimed delivery once and records the result. If this instance is killed before the result is recorded,
 * another one sends the delivery again. If the signal is aborted before there is a response, the delivery is
 * released, so that another instance sends it, or this one after a restart.
 */
export async function attemptDelivery(
  context: AttemptContext,
  claimed: ClaimedDelivery,
  signal?: AbortSignal,
): Promise<AttemptOutcome> {
  const { database, sendWebhook, warn } = context
  const { webhook, delivery, claimedAt: at } = claimed
  const { url } = webhook
  const { id } = delivery
  const { body, problem } = readBody(context, claimed)
  if (body === undefined) {
    const attempt = { at, url, status: null, durationMs: 0, error: problem, response: null }
    await database.recordAttempt(claimed, { outcome: 'lost', attempt })
    return 'lost'
  }
  const secrets = openSecrets(context, webhook)
  const { retryAfter, ...response } =
    secrets === undefined
      ? CANNOT_SIGN
      : await sendWebhook(
          { url, headers: webhookHeaders(secrets, { id, sentAt: at, body }), body },
          signal,
        )
  if (signal?.aborted && response.status === null) {
    await database.releaseClaim(claimed)
    return 'released'
  }
  const result = resultOf(claimed, { at, url, ...response }, retryAfter)
  const { isDisabled } = await database.recordAttempt(claimed, result)
  if (isDisabled) {
    warn(`the webhook ${webhook.id} is disabled: ${describeResponse(response)}`, undefined)
  }
  return result.outcome
}

/** Undefined if the secret cannot be decrypted. */
function openSecrets({ secretKey, warn }: AttemptContext, webhook: Webhook) {
  try {
    return openWebhookSecrets(secretKey, webhook)
  } catch (error) {
    warn(`the secret of the webhook ${webhook.id} cannot be decrypted`, error)
    return undefined
  }
}

type Body = { body: string; problem?: undefined } | { body?: undefined; problem: string }

/** The body of the request, or the reason why the delivery cannot be sent. */
function readBody({ warn }: AttemptContext, { delivery, event, webhook }: ClaimedDelivery): Body {
  if (delivery.body !== null) return { body: delivery.body }
  if (event === undefined) {
    const problem =
      'The event was removed before it could be sent, because the account has more events than are kept'
    return { problem }
  }
  try {
    if (event instanceof UnreadableEvent) throw event
    return { body: bodyOfEvent(event) }
  } catch (error) {
    const { eventId } = delivery
    warn(
      `could not send the event ${eventId} of the account ${webhook.accountId}, which cannot be read`,
      error,
    )
    return { problem: 'The event cannot be read. Run stowage doctor.' }
  }
}

const CANNOT_SIGN = {
  status: null,
  durationMs: 0,
  error:
    'The secret of the webhook cannot be decrypted. Replace it with POST /webhooks/:id/rotate.',
  response: null,
  retryAfter: null,
}

function resultOf(
  { delivery }: ClaimedDelivery,
  attempt: Attempt,
  retryAfter: string | null,
): AttemptResult {
  if (isSuccess(attempt)) return { outcome: 'succeeded', attempt }
  const endedAt = new Date(attempt.at.getTime() + attempt.durationMs)
  const isGone = attempt.status === GONE
  const isLast = isGone || delivery.type === PING
  const retryAt = isLast ? undefined : nextAttemptAt(endedAt, delivery.failures + 1, retryAfter)
  return { outcome: 'failed', attempt, retryAt, isGone, failingForMs: FAILING_FOR_MS }
}

function describeResponse({ status, error }: Pick<Attempt, 'status' | 'error'>): string {
  return status === null ? (error ?? 'no response') : `the last response had the status ${status}`
}

/** Sends a test request and waits for the response. If this instance is killed meanwhile, another one sends it. */
export async function pingWebhook(
  context: AccountContext,
  webhookId: string,
): Promise<DeliveryWithBody> {
  const { data, clock, newId } = context
  const createdAt = clock()
  const body = { type: PING, timestamp: createdAt.toISOString(), data: { webhook_id: webhookId } }
  const claimed = await data.addPing(
    { id: newId(), eventId: null, type: PING, body: JSON.stringify(body), createdAt },
    { webhookId, claimForMs: PING_CLAIM_MS, maxClaims: MAX_ATTEMPTS_PER_WEBHOOK },
  )
  if (claimed === undefined) throw webhookNotFound()
  if (claimed === 'busy') {
    throw new ServiceError(
      'webhook_busy',
      `${MAX_ATTEMPTS_PER_WEBHOOK} requests to this webhook are waiting for a response. Send the ping again in a few seconds.`,
    )
  }
  await attemptDelivery(context, claimed)
  return getDelivery(context, webhookId, claimed.delivery.id)
}

/** The delivery is sent again in the background, with the same ID and body. Its retries start over. */
export async function redeliver(
  context: AccountContext,
  webhookId: string,
  id: string,
): Promise<DeliveryWithBody> {
  const { disabled } = await getWebhook(context, webhookId)
  if (disabled !== null) {
    throw new ServiceError(
      'webhook_disabled',
      'The webhook is disabled. Enable it with PUT /webhooks/:id, then send the delivery again.',
    )
  }
  const delivery = await context.data.redeliver(webhookId, id)
  if (delivery === undefined) throw deliveryNotFound()
  if (delivery === 'forgotten') {
    throw new ServiceError(
      'delivery_expired',
      'The event of this delivery is no longer kept, so it cannot be sent again. List the assets and products instead.',
    )
  }
  context.deliveries.dispatchEvent(new Event('due'))
  return withBody(context, delivery)
}

/** Newest first, without their bodies. */
export async function listDeliveries(
  context: AccountContext,
  webhookId: string,
  query: DeliveryQuery,
): Promise<{ deliveries: ListedDelivery[]; position: PagePosition }> {
  await getWebhook(context, webhookId)
  const read = (page: DeliveryQuery) => context.data.listDeliveries(webhookId, page)
  const { rows, position } = await readPage(query, read, ({ id }) => id)
  return { deliveries: rows, position }
}

export async function getDelivery(
  context: Pick<AccountContext, 'data'>,
  webhookId: string,
  id: string,
): Promise<DeliveryWithBody> {
  const delivery = await context.data.findDelivery(webhookId, id)
  if (delivery === undefined) throw deliveryNotFound()
  return withBody(context, delivery)
}

/** The body of the requests of an event. It is the same in all attempts. */
function bodyOfEvent(event: DomainEvent): string {
  const { id, type, ...rest } = presentEvent(event)
  // `timestamp` is the name that Standard Webhooks recommends for the time of the event.
  return JSON.stringify({ id, type, timestamp: rest.created_at, ...rest })
}

/** A delivery with its body; null if its event was forgotten or cannot be read. */
export interface DeliveryWithBody extends ListedDelivery {
  body: string | null
}

async function withBody(
  context: Pick<AccountContext, 'data'>,
  delivery: Delivery,
): Promise<DeliveryWithBody> {
  const { eventId, body } = delivery
  if (body !== null || eventId === null) return delivery
  const event = await findEvent(context, eventId)
  try {
    if (event instanceof UnreadableEvent) throw event
    return { ...delivery, body: event === undefined ? null : bodyOfEvent(event) }
  } catch {
    // The attempt to send it has logged the error.
    return { ...delivery, body: null }
  }
}

/** As in `ClaimedDelivery`. */
async function findEvent(
  { data }: Pick<AccountContext, 'data'>,
  id: number,
): Promise<ClaimedDelivery['event']> {
  try {
    const { events } = await data.listEvents({ after: id - 1, before: id + 1, limit: 1 })
    return events[0]
  } catch (error) {
    if (error instanceof UnreadableEvent) return error
    throw error
  }
}
