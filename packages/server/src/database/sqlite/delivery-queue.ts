import type { EventType } from '../../domain/event.ts'
import { type Delivery, PING, type WebhookState } from '../../domain/webhook.ts'
import type {
  ClaimedDelivery,
  DeliveryData,
  EventTypes,
  ImportedWebhook,
  WebhookBehind,
  WebhookHealth,
} from '../event-data.ts'
import {
  type ClaimedEventRow,
  type DeliveryRow,
  disabledEvent,
  fullAccounts,
  toClaimedDelivery,
  toDelivery,
  toImportedWebhook,
  toWebhook,
  WEBHOOK_STATE,
  type WebhookRow,
  type WebhookStateRow,
  writeAttempts,
} from '../shared/webhook-rows.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'

type Arguments<Name extends keyof DeliveryData> = Parameters<DeliveryData[Name]>

/** Must repeat the condition of the partial index literally; otherwise SQLite does not use the index. */
const IS_DUE = `status = 'pending' and due_at <= :now`
const IS_CLAIMED = 'claim_ends_at is not null and claim_ends_at > :now'

/** `id` is null if there is no event. */
interface EventTypeRow {
  last_event: number
  id: number | null
  type: EventType
  created_at: number
}

/** The queue of the deliveries of all accounts. */
export function prepareDeliveryQueue({ prepare }: Connection) {
  const behind = prepare<WebhookRow>(
    `select w.* from webhooks w join accounts a on a.id = w.account_id
     where w.disabled_at is null and w.last_event < a.last_event and :max_pending > (
       select count(*) from (
         select 1 from deliveries where webhook_id = w.id and status = 'pending' limit +:max_pending))
     order by w.id limit +:limit`,
  )
  const eventTypes = prepare<EventTypeRow>(
    `select a.last_event, e.id, e.type, e.created_at from accounts a left join (
       select id, type, created_at from events where account_id = :account and id > :after order by id limit +:limit
     ) e on true
     where a.id = :account order by e.id`,
  )
  const eventOf = prepare<ClaimedEventRow>(
    `select type as event_type, created_at as event_created_at, actor, data from events
     where account_id = :account and id = :id`,
  )
  const advance = prepare(
    'update webhooks set last_event = :until where id = :id and last_event = :after',
  )
  const miss = prepare(
    'update webhooks set missed_events = missed_events + :missed, missed_at = :now where id = :id',
  )
  const insert = prepare(
    `insert into deliveries (id, webhook_id, event_id, event_at, type, body, status, created_at, due_at)
     values (:id, :webhook_id, :event_id, :event_at, :type, :body, 'pending', :created_at, :created_at)`,
  )
  // Jumps from webhook to webhook in the index, so the cost does not depend on the number of their deliveries.
  const withPending = `with recursive pending (id) as (
      select min(webhook_id) from deliveries where status = 'pending'
      union all
      select (select min(webhook_id) from deliveries where status = 'pending' and webhook_id > pending.id)
      from pending where pending.id is not null)`
  const anyDue = prepare(
    `${withPending}
     select 1 from pending where exists (
       select 1 from deliveries where webhook_id = pending.id and ${IS_DUE}) limit 1`,
  )
  const nextDue = prepare<{ at: number | null }>(
    `${withPending}
     select min((select min(due_at) from deliveries where webhook_id = w.id and status = 'pending')) as at
     from pending join webhooks w on w.id = pending.id
     where w.disabled_at is null and (w.failing_since is not null) = :failing`,
  )
  const candidates = prepare<WebhookRow & { running: number }>(
    `${withPending}
     select w.*, (select count(*) from deliveries where webhook_id = w.id and ${IS_CLAIMED}) as running,
       (select min(due_at) from deliveries where webhook_id = w.id and ${IS_DUE}) as first_due
     from pending join webhooks w on w.id = pending.id
     where w.disabled_at is null and (w.failing_since is not null) = :failing
       and first_due is not null and running < :per_webhook
       and w.account_id not in (select value from json_each(:full))
     order by running, first_due limit +:limit`,
  )
  const claim = prepare<DeliveryRow>(
    `update deliveries set due_at = :until, claim_ends_at = :until, claims = claims + 1 where id in (
       select id from (
         select id, sum(size) over (order by due_at, id) - size as bytes_before from (
           select id, due_at, coalesce(octet_length(body), (
             select octet_length(data) from events
             where account_id = :account and events.id = event_id), 0) as size
           from deliveries
           where webhook_id = :webhook_id and ${IS_DUE} order by due_at, id limit +:count))
       where bytes_before < :max_bytes)
     returning *`,
  )
  const renew = prepare(
    `update deliveries set due_at = :until, claim_ends_at = :until
     where id = :id and claims = :claim and status = 'pending'`,
  )
  const release = prepare(
    `update deliveries set due_at = :now, claim_ends_at = null
     where id = :id and claims = :claim and status = 'pending'`,
  )
  const every = prepare<WebhookStateRow>(
    `select ${WEBHOOK_STATE} from webhooks where id > :after order by id limit :limit`,
  )
  const everyDelivery = prepare<DeliveryRow>(
    'select * from deliveries where webhook_id = :webhook_id and id > :after order by id limit :limit',
  )

  return {
    listWebhooksBehind({ limit, maxPending }: Arguments<'listWebhooksBehind'>[0]): WebhookBehind[] {
      return behind.all({ limit, max_pending: maxPending }).map((row) => {
        const { id, accountId, types } = toWebhook(row)
        return { id, accountId, types, lastEvent: row.last_event }
      })
    },

    listEventTypes(...[account, after, limit]: Arguments<'listEventTypes'>): EventTypes {
      const rows = eventTypes.all({ account, after, limit })
      const events = rows.flatMap(({ id, type, created_at }) =>
        id === null ? [] : [{ id, type, createdAt: new Date(created_at) }],
      )
      return { events, lastId: rows[0]?.last_event ?? 0 }
    },

    addDeliveries(...[id, range, deliveries]: Arguments<'addDeliveries'>): boolean {
      const { after, until, missed = 0 } = range
      if (advance.run({ id, after, until }) === 0) return false
      if (missed > 0) miss.run({ id, missed, now: Date.now() })
      for (const delivery of deliveries) {
        insert.run({
          id: delivery.id,
          webhook_id: id,
          event_id: delivery.eventId,
          event_at: delivery.eventAt?.getTime() ?? null,
          type: delivery.type,
          body: delivery.body,
          created_at: delivery.createdAt.getTime(),
        })
      }
      return true
    },

    claimDeliveries(...[health, times, limits]: Arguments<'claimDeliveries'>): ClaimedDelivery[] {
      const now = times.now.getTime()
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (anyDue.get({ now }) === undefined) return []
      const { limit, perWebhook, maxBytesPerAccount } = limits
      let { maxBytes } = limits
      const bytesOf = new Map(limits.runningBytes)
      const failing = health === 'failing' ? 1 : 0
      const full = JSON.stringify(fullAccounts(limits))
      const webhooks = candidates.all({ now, failing, per_webhook: perWebhook, full, limit })
      const share = Math.max(1, Math.floor(limit / webhooks.length))
      const until = times.claimedUntil.getTime()
      return webhooks.flatMap((row) => {
        const webhook = toWebhook(row)
        const account = row.account_id
        const ownBytes = bytesOf.get(account) ?? 0
        const max_bytes = Math.min(maxBytes, maxBytesPerAccount - ownBytes)
        const count = max_bytes > 0 ? Math.min(share, perWebhook - row.running) : 0
        const due = { webhook_id: row.id, account, now, until, count, max_bytes }
        return claim.all(due).map((delivery) => {
          const event =
            delivery.body === null ? eventOf.get({ account, id: delivery.event_id }) : undefined
          const claimed = toClaimedDelivery(webhook, delivery, { event, claimedAt: times.now })
          maxBytes -= claimed.bytes
          bytesOf.set(account, (bytesOf.get(account) ?? 0) + claimed.bytes)
          return claimed
        })
      })
    },

    nextDeliveryAt(health: WebhookHealth): Date | undefined {
      const at = nextDue.get({ failing: health === 'failing' ? 1 : 0 })?.at
      return at === null || at === undefined ? undefined : new Date(at)
    },

    renewClaims(claimed: ClaimedDelivery[], claimedUntil: Date): void {
      const until = claimedUntil.getTime()
      for (const { delivery, claim } of claimed) renew.run({ id: delivery.id, claim, until })
    },

    releaseClaim({ delivery, claim }: ClaimedDelivery): void {
      release.run({ id: delivery.id, claim, now: Date.now() })
    },

    listAllWebhooks(after = '', limit: number): (ImportedWebhook & WebhookState)[] {
      return every.all({ after, limit }).map(toImportedWebhook)
    },
    listAllDeliveries(webhookId: string, after = '', limit: number): Delivery[] {
      return everyDelivery.all({ webhook_id: webhookId, after, limit }).map(toDelivery)
    },
  }
}

/** Records attempts, and removes old deliveries. */
export function prepareAttempts(connection: Connection) {
  const { prepare, transaction } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  // An attempt with an earlier URL does not change the state of the webhook.
  const ofTarget = 'id = :id and url = :url'
  const recover = prepare(
    `update webhooks set failing_since = null where ${ofTarget} and failing_since is not null`,
  )
  const fail = prepare(
    `update webhooks set failing_since = coalesce(failing_since, :now) where ${ofTarget}`,
  )
  const disable = prepare<WebhookRow>(
    `update webhooks set disabled_at = :now, disabled_reason = :reason
     where ${ofTarget} and disabled_at is null
       and (:reason = 'gone' or failing_since <= :failing_before)
     returning *`,
  )
  const succeed = prepare(
    `update deliveries set status = 'succeeded', due_at = null, claim_ends_at = null, attempts = :attempts
     where id = :id and status = 'pending'`,
  )
  const retry = prepare(
    `update deliveries set status = iif(:retry_at is null, 'failed', 'pending'), due_at = :retry_at,
       claim_ends_at = null, failures = failures + 1, attempts = :attempts
     where id = :id and status = 'pending' and claims = :claim`,
  )
  const lose = prepare(
    `update deliveries set status = 'failed', due_at = null, claim_ends_at = null, attempts = :attempts
     where id = :id and status = 'pending' and claims = :claim`,
  )
  const miss = prepare(
    'update webhooks set missed_events = missed_events + 1, missed_at = :now where id = :id',
  )
  const removeOld = prepare(
    `delete from deliveries where id in (
       select id from deliveries where created_at < :before order by created_at limit :limit)`,
  )
  const advance = prepare(
    `update deliveries set due_at = :now
     where webhook_id = :webhook_id and status = 'pending' and due_at > :latest`,
  )
  const removeExcess = prepare(
    `delete from deliveries where id in (
       select id from deliveries where webhook_id = :webhook_id and status <> 'pending' and id < (
         select id from deliveries where webhook_id = :webhook_id and status <> 'pending'
         order by id desc limit 1 offset :last_kept)
       order by id limit :limit)`,
  )

  return {
    recordAttempt(...[claimed, result]: Arguments<'recordAttempt'>): {
      isDisabled: boolean
    } {
      const { webhook, delivery, claim } = claimed
      const attempts = writeAttempts([...delivery.attempts, result.attempt])
      const isPing = delivery.type === PING
      const { id, url } = webhook
      if (result.outcome === 'lost') {
        return transaction(() => {
          if (lose.run({ id: delivery.id, claim, attempts }) > 0) miss.run({ id, now: Date.now() })
          return { isDisabled: false }
        })
      }
      if (result.outcome === 'succeeded') {
        if (!isPing && webhook.failingSince !== null) recover.run({ id, url })
        succeed.run({ id: delivery.id, attempts })
        return { isDisabled: false }
      }
      const retry_at = result.retryAt?.getTime() ?? null
      return transaction(() => {
        const recorded = retry.run({ id: delivery.id, claim, attempts, retry_at })
        if (recorded === 0 || isPing) return { isDisabled: false }
        const now = result.attempt.at.getTime()
        fail.run({ id, url, now })
        const reason = result.isGone ? 'gone' : 'failing'
        const failing_before = now - result.failingForMs
        const disabled = disable.get({ id, url, now, reason, failing_before })
        if (disabled !== undefined) recordEvent(...disabledEvent(toWebhook(disabled)))
        return { isDisabled: disabled !== undefined }
      })
    },

    forgetDeliveries: (before: Date, limit: number): number =>
      removeOld.run({ before: before.getTime(), limit }),

    trimDeliveries(...[webhook_id, options]: Arguments<'trimDeliveries'>): number {
      const { keep, limit, now, latest } = options
      advance.run({ webhook_id, now: now.getTime(), latest: latest.getTime() })
      return removeExcess.run({ webhook_id, last_kept: keep - 1, limit })
    },
  }
}
