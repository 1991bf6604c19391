import { createHmac } from 'node:crypto'

/** An endpoint that receives the events of an account. */
export interface Webhook {
  id: string
  accountId: string
  url: string
  description: string
  /** The types of events that are sent; null for all types. */
  types: string[] | null
  /** The key that signs the requests, encrypted. */
  secret: string
  /** Replaced secrets that still sign requests, newest first. */
  previousSecrets: PreviousSecret[]
  createdAt: Date
  updatedAt: Date
  disabled: Disabled | null
  /** When the first of the failed attempts since the last successful one was made; null if there is none. */
  failingSince: Date | null
  missed: MissedEvents | null
}

/** Events of any type that were forgotten before they could be sent to a webhook. */
interface MissedEvents {
  count: number
  /** When the last ones were noticed. */
  at: Date
}

/** A webhook, and how many of its deliveries are pending. */
export interface WebhookState extends Webhook {
  pending: number
}

export interface PreviousSecret {
  secret: string
  validUntil: Date
}

/** `failing`: attempts failed for days. `gone`: the endpoint returned 410. */
export type DisabledReason = 'manual' | 'failing' | 'gone'

export interface Disabled {
  at: Date
  reason: DisabledReason
}

export type DeliveryStatus = 'pending' | 'succeeded' | 'failed'

/** One event, or a ping, that is sent to one webhook until it succeeds or fails. */
export interface ListedDelivery {
  /** Also the `webhook-id` of the request, with which a receiver recognizes repeated attempts. */
  id: string
  webhookId: string
  /** Null for a ping. */
  eventId: number | null
  /** The time of the event. Undefined for a ping. */
  eventAt?: Date
  type: string
  status: DeliveryStatus
  createdAt: Date
  /** When the next attempt is due; null if none is. */
  dueAt: Date | null
  /** The failed attempts since the delivery was created or requested again. */
  failures: number
  /** The last attempts, oldest first, at most `MAX_LOGGED_ATTEMPTS`. */
  attempts: Attempt[]
}

export interface Delivery extends ListedDelivery {
  /** Null if it is built from the event when it is sent: the event is stored once, not once for each webhook. */
  body: string | null
}

export const MAX_LOGGED_ATTEMPTS = 10

/** The type of deliveries that no event caused. */
export const PING = 'ping'

/** One request and its response. */
export interface Attempt {
  at: Date
  url: string
  /** The HTTP status; null if there was no response. */
  status: number | null
  durationMs: number
  /** Why there was no response; null if there was one. */
  error: string | null
  /** The first kilobyte of the response. */
  response: string | null
}

export interface WebhookRequest {
  url: string
  headers: Record<string, string>
  body: string
}

export interface WebhookResponse extends Omit<Attempt, 'at' | 'url'> {
  /** The `Retry-After` header, if the response has one. */
  retryAfter: string | null
}

/**
 * Sends one request. Never rejects: a failure is a response without a status. After the signal is aborted, it does not
 * wait for a response anymore.
 */
export type SendWebhook = (
  request: WebhookRequest,
  signal?: AbortSignal,
) => Promise<WebhookResponse>

/** Any 2xx status means that the receiver accepted the delivery. */
export function isSuccess({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== null && status >= 200 && status < 300
}

const SECRET_PREFIX = 'whsec_'

/** Within the 24 to 64 bytes that Standard Webhooks requires. */
export const WEBHOOK_SECRET_BYTES = 32

export function formatWebhookSecret(random: Uint8Array): string {
  return SECRET_PREFIX + Buffer.from(random).toString('base64')
}

interface SignedMessage {
  id: string
  sentAt: Date
  body: string
}

/**
 * The headers of Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks. Replaced secrets that
 * are still valid sign the message, too, so that receivers can change to the new one at any time.
 */
export function webhookHeaders(
  webhook: Pick<Webhook, 'secret' | 'previousSecrets'>,
  { id, sentAt, body }: SignedMessage,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const valid = webhook.previousSecrets.filter(({ validUntil }) => validUntil > sentAt)
  const secrets = [webhook.secret, ...valid.map(({ secret }) => secret)]
  const content = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, content)}`).join(' '),
  }
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}

const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS

/** The pauses before the retries. If the last retry fails, the delivery has failed. */
export const RETRY_DELAYS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]

/** A longer `Retry-After` is reduced to this. */
const MAX_RETRY_AFTER_MS = 24 * HOUR_MS

/**
 * When to send a delivery again after its `failures`-th failed attempt at `now`; undefined if it has failed permanently.
 * `Retry-After` postpones the retry, but never advances it: otherwise a short one would use up all attempts.
 */
export function nextAttemptAt(
  now: Date,
  failures: number,
  retryAfter: string | null,
): Date | undefined {
  const delayMs = RETRY_DELAYS_MS[failures - 1]
  if (delayMs === undefined) return undefined
  const askedMs = Math.min(parseRetryAfter(retryAfter, now), MAX_RETRY_AFTER_MS)
  return new Date(now.getTime() + Math.max(delayMs, askedMs))
}

/** Seconds or an HTTP date, as a pause in milliseconds; 0 if it is neither, or in the past. */
function parseRetryAfter(text: string | null, now: Date): number {
  if (text === null) return 0
  if (/^\d+$/.test(text.trim())) return Number(text) * SECOND_MS
  const date = Date.parse(text)
  return Number.isNaN(date) ? 0 : Math.max(0, date - now.getTime())
}
