import type { Cursor } from '../domain/cursor.ts'
import type { PageRequest } from '../domain/paging.ts'
import type { Attempt, Delivery, DeliveryStatus, Webhook, WebhookState } from '../domain/webhook.ts'

export type NewWebhook = Pick<
  Webhook,
  'id' | 'url' | 'description' | 'types' | 'secret' | 'createdAt'
>

export interface WebhookChange {
  url?: string
  description?: string
  types?: string[] | null
  /** False disables the webhook, unless it is disabled already. True also ends `failingSince`. */
  isEnabled?: boolean
}

export interface DeliveryQuery extends PageRequest {
  /** Returns the next `perPage` rows after this position, and ignores `page`. */
  after?: Cursor
  status?: DeliveryStatus | undefined
}

/** A delivery that this instance sends now. Other instances skip it until the claim ends. */
export interface ClaimedDelivery {
  webhook: Webhook
  delivery: Delivery
  /** Identifies this claim. */
  claim: number
  /** By the database's clock. */
  claimedAt: Date
}

/** The webhooks of one account. */
export interface AccountWebhookData {
  /** It receives the events after that of its creation. Undefined if the account has `maxWebhooks` already. */
  addWebhook(webhook: NewWebhook, maxWebhooks: number): Promise<WebhookState | undefined>
  /** Oldest first. */
  listWebhooks(): Promise<WebhookState[]>
  findWebhook(id: string): Promise<WebhookState | undefined>
  /**
   * A webhook that is enabled again continues with the event after its last one, and with its pending deliveries. A new
   * URL ends `failingSince`.
   * Undefined if it does not exist.
   */
  changeWebhook(id: string, change: WebhookChange, now: Date): Promise<WebhookState | undefined>
  /** Replaces the secret. The replaced ones stay valid until `validUntil`, at most `maxPrevious` of them. */
  rotateSecret(
    id: string,
    rotation: { secret: string; now: Date; validUntil: Date; maxPrevious: number },
  ): Promise<WebhookState | undefined>
  /** Also removes its deliveries. A running attempt ends, but is not recorded. False if it does not exist. */
  deleteWebhook(id: string): Promise<boolean>

  /** Newest first, without their bodies. */
  listDeliveries(
    webhookId: string,
    query: DeliveryQuery,
  ): Promise<{ rows: Delivery[]; total: number }>
  findDelivery(webhookId: string, id: string): Promise<Delivery | undefined>
  /**
   * Makes the delivery pending and due now, by the database's clock, with all retries, unless an attempt is running.
   * The webhook may be disabled. Undefined if the delivery does not exist.
   */
  redeliver(webhookId: string, id: string): Promise<Delivery | undefined>
  /**
   * Adds a delivery that this instance sends now, even if the webhook is disabled. The claim ends after this time by
   * the database's clock. Undefined if the webhook does not exist. `busy` if `maxClaims` attempts of the webhook
   * are running already.
   */
  addPing(
    delivery: NewDelivery,
    claim: { webhookId: string; claimForMs: number; maxClaims: number },
  ): Promise<ClaimedDelivery | 'busy' | undefined>

  /** Imports webhooks and deliveries of another deployment with their IDs. Existing ones are not changed. */
  importWebhooks(imported: { webhooks: ImportedWebhook[]; deliveries: Delivery[] }): Promise<void>
}

export interface ImportedWebhook extends Webhook {
  lastEvent: number
}

export type NewDelivery = Pick<Delivery, 'id' | 'eventId' | 'type' | 'body' | 'createdAt'>

/** A webhook that has not received all events of its account. */
export interface WebhookBehind extends Pick<Webhook, 'id' | 'accountId' | 'types'> {
  /** The last event that was turned into a delivery. */
  lastEvent: number
}

/**
 * A webhook is failing if its last attempt failed. The deliveries of failing webhooks are claimed separately, so that
 * they take no capacity from webhooks that work.
 */
export type WebhookHealth = 'working' | 'failing'

export interface ClaimLimits {
  limit: number
  perWebhook: number
  maxBytes: number
}

/** The deliveries of all accounts, for the jobs. */
export interface DeliveryData {
  /**
   * The enabled webhooks that have not received all events, at most `limit`, except those with `maxPending` pending
   * deliveries.
   */
  listWebhooksBehind(options: { limit: number; maxPending: number }): Promise<WebhookBehind[]>

  /**
   * Queues deliveries, due now, and advances the last event of the webhook from `after` to `until`, atomically. Does
   * nothing and returns false if another call has advanced it: of concurrent calls, one wins.
   */
  addDeliveries(
    webhookId: string,
    range: { after: number; until: number },
    deliveries: NewDelivery[],
  ): Promise<boolean>

  /**
   * Claims due deliveries of enabled webhooks. At most `perWebhook` attempts of a webhook run at the same time, on all
   * instances together. If there are more due deliveries than `limit`, every webhook gets an equal share. Claims further
   * deliveries only until their bodies have `maxBytes` together, but at least one.
   */
  claimDeliveries(
    health: WebhookHealth,
    times: { now: Date; claimedUntil: Date },
    limits: ClaimLimits,
  ): Promise<ClaimedDelivery[]>

  /** Extends claims whose requests are still running. Claims that have been lost are not an error. */
  renewClaims(claimed: ClaimedDelivery[], claimedUntil: Date): Promise<void>

  /** Ends a claim without an attempt: the delivery is due now. */
  releaseClaim(claimed: ClaimedDelivery): Promise<void>

  /**
   * Records an attempt and ends its claim. If the claim has already ended, a successful one counts, and a failed one
   * changes nothing. Unless the delivery is a ping, success ends the `failingSince` that the webhook had when it was claimed; failure starts it, and
   * disables the webhook if `isGone`, or if it has been failing for `failingForMs`. An attempt with an earlier
   * URL does not change the webhook. Returns whether it disabled the webhook, which is recorded as an event of the job.
   */
  recordAttempt(claimed: ClaimedDelivery, result: AttemptResult): Promise<{ isDisabled: boolean }>

  /** Removes deliveries of all webhooks that are older than `before`, at most `limit`. Returns their number. */
  forgetDeliveries(before: Date, limit: number): Promise<number>
  /**
   * Removes all but the `keep` newest deliveries of a webhook that are not pending, at most `limit`. Returns their
   * number. A delivery that is due after `latest` was postponed by a wrong clock, and becomes due.
   */
  trimDeliveries(
    webhookId: string,
    options: { keep: number; limit: number; now: Date; latest: Date },
  ): Promise<number>

  /** The next webhooks of all accounts after the ID `after`, ordered by ID. */
  listAllWebhooks(
    after: string | undefined,
    limit: number,
  ): Promise<(ImportedWebhook & WebhookState)[]>
  /** The next deliveries of a webhook after the ID `after`, ordered by ID. */
  listAllDeliveries(
    webhookId: string,
    after: string | undefined,
    limit: number,
  ): Promise<Delivery[]>
}

export type AttemptResult =
  | { outcome: 'succeeded'; attempt: Attempt }
  | {
      outcome: 'failed'
      attempt: Attempt
      /** Undefined if no attempt follows. */
      retryAt: Date | undefined
      isGone: boolean
      failingForMs: number
    }
