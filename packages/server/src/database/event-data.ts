import type { UnreadableEvent } from '../domain/errors.ts'
import type { Event, EventType } from '../domain/event.ts'
import type { ActorFilter } from '../domain/event-filter.ts'
import type { Cursor, PageRequest } from '../domain/paging.ts'
import type {
  Attempt,
  Delivery,
  DeliveryStatus,
  ListedDelivery,
  Webhook,
  WebhookState,
} from '../domain/webhook.ts'

export interface EventQuery {
  /** Returns events with higher IDs. */
  after: number
  /** Returns only events with lower IDs, and the newest first. */
  before?: number | undefined
  /** Only events of these types; undefined means all. */
  types?: EventType[] | undefined
  limit: number
  /** A page ends early when the data of its events has more bytes than this. At most `MAX_EVENT_PAGE_BYTES`. */
  maxBytes?: number | undefined
}

/** The events of an account between two IDs that match all conditions. */
export interface EventSearch {
  /** Only events with higher IDs. */
  after: number
  /** Only events with lower IDs. */
  before: number
  /** `desc`: the newest first. */
  order: 'asc' | 'desc'
  /** Only events of these types; undefined means all. */
  types?: EventType[] | undefined
  actor?: ActorFilter | undefined
  /** Folded by `searchWords`. Each of them is part of a name that the event shows: `eventNames`. */
  words?: string[] | undefined
  limit: number
  /** The number of events between the two IDs, of these types, that the call examines at most. */
  maxExamined: number
}

export interface FoundEvents {
  /** In the requested order. At most `limit`; fewer if their data is large. */
  events: Event[]
  /**
   * The last event that was examined, as were all events of the range before it. Continue after it, or before it with
   * `desc`. Undefined if no event of the range remains.
   */
  examined: { id: number; createdAt: Date } | undefined
  /** Whether `limit`, or the number of rows that one statement reads, has ended the call before `maxExamined`. */
  isCutOff: boolean
}

/** The default of `maxBytes`, so that the size of every page is bounded. */
export const MAX_EVENT_PAGE_BYTES = 4_000_000

export interface EventPage {
  /** By ascending ID, or by descending ID with `before`. At most `limit`, and at least one if there is any. */
  events: Event[]
  /** Whether there are more events that match the query. */
  hasMore: boolean
  /** The ID of the account's last event, of any type; 0 if it has none. */
  lastId: number
  /** Events up to this ID may have been forgotten, that is, deleted because of their age; 0 if none has. */
  forgottenId: number
  /** The times of the events with the IDs `after`, `lastId` and `forgottenId`; null if unknown. */
  afterAt: Date | null
  lastAt: Date | null
  forgottenAt: Date | null
}

export interface ImportedEvents extends Pick<EventPage, 'events' | 'lastId' | 'forgottenId'> {
  forgottenAt?: Date | null
}

/** The IDs of the events of an account. */
export interface EventComparison {
  accountId: string
  /** The counter of the account. Must not be lower than `highestId`. */
  lastId: number
  /** The highest ID of a stored event. */
  highestId: number
  /** The number of IDs without an event, after the forgotten ones and up to the last ID. Must be 0. */
  missing: number
  /** The counter of bytes, and the bytes of the events that it counts. Must be equal. */
  countedBytes: number
  actualBytes: number
}

/**
 * The events of one account. The methods of `AccountData` record the events of their changes atomically, for the actor
 * that was passed to `Database.of`. A call that changes nothing records none. The event IDs of an account increase in
 * the order of the commits, without gaps: a reader that has seen an ID has seen all lower ones.
 */
export interface EventData {
  /** Throws `UnreadableEvent` for the first event of the page whose data cannot be read. */
  listEvents(query: EventQuery): Promise<EventPage>

  /** Its cost is bounded by `maxExamined`, however many events the account has. Throws `UnreadableEvent`. */
  findEvents(search: EventSearch): Promise<FoundEvents>

  /**
   * The ID of the first event since this time, by the order of the IDs, which is that of the times as long as the clock
   * of the database runs forward. The next ID that an event will get, if there is none.
   */
  firstEventSince(time: Date): Promise<number>

  /** Copies events of another deployment with their IDs. Existing ones are not changed. */
  importEvents(page: ImportedEvents): Promise<void>
}

/** Gets the ID of an account with new events, or undefined if any account may have some. */
export type EventListener = (accountId: string | undefined) => void

/** Gets the name of an ended session or key (`endedCredential`), or undefined if any may have ended. */
export type EndedCredentialListener = (name: string | undefined) => void

/** Which events of an account are forgotten. */
export interface EventLimits {
  /**
   * Events that were recorded before this time are forgotten, unless a pending delivery needs them. Undefined: their
   * age does not matter.
   */
  before: Date | undefined
  /** The oldest events are forgotten until the rest has at most this many bytes. Undefined: 1 % of its plan, but at least 1 GB. */
  maxBytes: number | undefined
}

export interface TrimmedEvents {
  /** How many events were forgotten. */
  forgotten: number
  /** Whether there are more events to count or to forget. */
  hasMore: boolean
}

export type NewWebhook = Pick<
  Webhook,
  'id' | 'url' | 'description' | 'types' | 'secret' | 'createdAt'
>

export interface WebhookChange {
  url?: string
  description?: string
  types?: string[] | null
  /** False disables an enabled webhook. True enables a disabled webhook, and clears `failingSince`. */
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
  /** The event of a delivery without a body. Undefined if it was forgotten, an error if it cannot be read. */
  event: Event | UnreadableEvent | undefined
  /** The size of the stored body, or of the stored data of the event. */
  bytes: number
  /** Identifies this claim. */
  claim: number
  /** By the database's clock. */
  claimedAt: Date
}

/** The webhooks of one account. */
export interface AccountWebhookData {
  /** The webhook gets the events after its own `webhook.created`. Undefined if the account has `maxWebhooks`. */
  addWebhook(webhook: NewWebhook, maxWebhooks: number): Promise<WebhookState | undefined>
  /** Oldest first. */
  listWebhooks(): Promise<WebhookState[]>
  findWebhook(id: string): Promise<WebhookState | undefined>
  /**
   * A webhook that is enabled again continues with the event after its last one, and with its pending deliveries. A new
   * URL clears `failingSince`. Undefined if the webhook does not exist.
   */
  changeWebhook(id: string, change: WebhookChange, now: Date): Promise<WebhookState | undefined>
  /** Replaces the secret. The replaced one stays valid until `validUntil`. At most `maxPrevious` are kept. */
  rotateSecret(
    id: string,
    rotation: { secret: string; now: Date; validUntil: Date; maxPrevious: number },
  ): Promise<WebhookState | undefined>
  /** Also removes its deliveries. A running attempt continues, but is not recorded. False for an unknown webhook. */
  deleteWebhook(id: string): Promise<boolean>

  /** Newest first, without their bodies. */
  listDeliveries(
    webhookId: string,
    query: DeliveryQuery,
  ): Promise<{ rows: ListedDelivery[]; total: number }>
  findDelivery(webhookId: string, id: string): Promise<Delivery | undefined>
  /**
   * Makes the delivery pending and due now, by the database's clock, unless an attempt is running. Its retries start
   * over. The webhook may be disabled. Undefined if the delivery does not exist. `forgotten` if its event is no longer
   * kept.
   */
  redeliver(webhookId: string, id: string): Promise<Delivery | 'forgotten' | undefined>
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

export type NewDelivery = Pick<
  Delivery,
  'id' | 'eventId' | 'eventAt' | 'type' | 'body' | 'createdAt'
>

/** A webhook that has not received all events of its account. */
export interface WebhookBehind extends Pick<Webhook, 'id' | 'accountId' | 'types'> {
  /** The ID of the last event that was turned into a delivery or skipped. */
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
  maxBytesPerAccount: number
  /** The size of the bodies of the running requests of each account. Counts toward `maxBytesPerAccount`. */
  runningBytes: ReadonlyMap<string, number>
}

/** The deliveries of all accounts, for the jobs. */
export interface DeliveryData {
  /**
   * The enabled webhooks that have not received all events, at most `limit`, except those with `maxPending` pending
   * deliveries.
   */
  listWebhooksBehind(options: { limit: number; maxPending: number }): Promise<WebhookBehind[]>

  /** The next events of an account after the ID `after`, at most `limit`, without their data. */
  listEventTypes(accountId: string, after: number, limit: number): Promise<EventTypes>

  /**
   * Queues deliveries, due now, and advances the last event of the webhook from `after` to `until`, atomically. Does
   * nothing and returns false if another call has advanced it: of concurrent calls, one wins. `missed` events of this
   * range were forgotten, and are added to `Webhook.missed`.
   */
  addDeliveries(
    webhookId: string,
    range: { after: number; until: number; missed?: number },
    deliveries: NewDelivery[],
  ): Promise<boolean>

  /**
   * Claims due deliveries of enabled webhooks. At most `perWebhook` attempts of a webhook run at the same time, on all
   * instances together. If there are more due deliveries than `limit`, every webhook gets an equal share. Claims no
   * further delivery once the claimed bodies have `maxBytes` in total, so that one larger body can be claimed, too. The
   * same applies to the deliveries of each account: those of an account that has reached its limit delay no others.
   */
  claimDeliveries(
    health: WebhookHealth,
    times: { now: Date; claimedUntil: Date },
    limits: ClaimLimits,
  ): Promise<ClaimedDelivery[]>

  /** When the next delivery of an enabled webhook is due; undefined if none is pending. */
  nextDeliveryAt(health: WebhookHealth): Promise<Date | undefined>

  /** Extends claims whose requests are still running. A claim that another instance has taken over is not an error. */
  renewClaims(claimed: ClaimedDelivery[], claimedUntil: Date): Promise<void>

  /** Ends a claim without an attempt: the delivery is due now. */
  releaseClaim(claimed: ClaimedDelivery): Promise<void>

  /**
   * Records an attempt and ends its claim. If the delivery was claimed again meanwhile, a successful attempt still
   * counts, and a failed one changes nothing.
   *
   * Unless the delivery is a ping, the attempt also changes its webhook: success clears `failingSince`, if it was set
   * when the delivery was claimed; failure sets it, and disables the webhook if `isGone`, or if the webhook has been
   * failing for `failingForMs`. An attempt with an earlier URL does not change the webhook. Returns whether the
   * webhook was disabled, which is recorded as an event of the job.
   *
   * `lost` ends a delivery that cannot be sent, without changing `failingSince`. It is added to `Webhook.missed`.
   */
  recordAttempt(claimed: ClaimedDelivery, result: AttemptResult): Promise<{ isDisabled: boolean }>

  /** Removes deliveries of all webhooks that are older than `before`, at most `limit`. Returns their number. */
  forgetDeliveries(before: Date, limit: number): Promise<number>
  /**
   * Removes deliveries of a webhook that are not pending, at most `limit`. The `keep` newest of them stay. Returns the
   * number that it removed. A delivery that is due after `latest` was postponed by a wrong clock, and becomes due.
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

/** The next events of an account. */
export interface EventTypes {
  /** By ascending ID. */
  events: { id: number; type: EventType; createdAt: Date }[]
  /** The ID of the account's last event. */
  lastId: number
}

export type AttemptResult =
  | { outcome: 'succeeded'; attempt: Attempt }
  | { outcome: 'lost'; attempt: Attempt }
  | {
      outcome: 'failed'
      attempt: Attempt
      /** Undefined if no attempt follows. */
      retryAt: Date | undefined
      isGone: boolean
      failingForMs: number
    }
