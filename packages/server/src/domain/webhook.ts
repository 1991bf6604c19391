/** An endpoint that receives the events of an account. */
export interface Webhook {
  id: string
  accountId: string
  url: string
  description: string
  /** The types of events that are sent; null for all types. */
  types: string[] | null
  /** The key that signs the requests: encrypted, or `whsec_…` if an earlier version stored it. */
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
export interface MissedEvents {
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
export interface Delivery {
  /** Also the `webhook-id` of the request, with which a receiver recognizes repeated attempts. */
  id: string
  webhookId: string
  /** Null for a ping. */
  eventId: number | null
  /** The time of the event. Undefined for a ping, and if an earlier version queued it and the event is no longer kept. */
  eventAt?: Date
  type: string
  status: DeliveryStatus
  /** Empty if it is built from the event when it is sent: the event is stored once, not once for each webhook. */
  body: string
  createdAt: Date
  /** When the next attempt is due; null if none is. */
  dueAt: Date | null
  /** The failed attempts since the delivery was created or requested again. */
  failures: number
  /** The last attempts, oldest first, at most `MAX_LOGGED_ATTEMPTS`. */
  attempts: Attempt[]
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
