import type { EventType } from '../../domain/event.ts'
import { PING, type Webhook } from '../../domain/webhook.ts'
import type { AttemptResult, ClaimedDelivery } from '../event-data.ts'
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
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { type Fragment, inTransaction, type Sql } from './connection.ts'
import { recordEvent } from './events.ts'
import { FIRST_ID } from './rows.ts'

/** `id` is null if there is no event. */
interface EventTypeRow {
  last_event: number
  id: number | null
  type: EventType
  created_at: Date
}

/** The columns of the event if the delivery has a body, or the event was forgotten. */
interface NoEvent {
  event_type: null
}

/** The queue of the deliveries of all accounts. A webhook is locked before its deliveries. */
export function deliveryQueue(sql: Sql): DatabaseMethods['queue'] {
  // Jumps from webhook to webhook in the index, so the cost does not depend on the number of their deliveries.
  const withPending = sql`pending (id) as (
    (select webhook_id from deliveries where status = 'pending' order by webhook_id limit 1)
    union all
    select (select webhook_id from deliveries
      where status = 'pending' and webhook_id > pending.id order by webhook_id limit 1)
    from pending where pending.id is not null)`

  return {
    async listWebhooksBehind({ limit, maxPending }) {
      const rows = await sql<WebhookRow[]>`
        select w.* from webhooks w join accounts a on a.id = w.account_id
        where w.disabled_at is null and w.last_event < a.last_event and ${maxPending} > (
          select count(*) from (
            select from deliveries where webhook_id = w.id and status = 'pending'
            limit ${maxPending}) pending)
        order by w.id limit ${limit}`
      return rows.map((row) => {
        const { id, accountId, types } = toWebhook(row)
        return { id, accountId, types, lastEvent: row.last_event }
      })
    },

    async listEventTypes(account, after, limit) {
      const rows = await sql<EventTypeRow[]>`
        select a.last_event, e.id, e.type, e.created_at from accounts a left join (
          select id, type, created_at from events where account_id = ${account} and id > ${after}
          order by id limit ${limit}
        ) e on true
        where a.id = ${account} order by e.id`
      const events = rows.flatMap(({ id, type, created_at: createdAt }) =>
        id === null ? [] : [{ id, type, createdAt }],
      )
      return { events, lastId: rows[0]?.last_event ?? 0 }
    },

    addDeliveries: (webhookId, { after, until, missed = 0 }, deliveries) =>
      inTransaction(sql, async () => {
        const advanced = await sql`
          update webhooks set last_event = ${until}, missed_events = missed_events + ${missed},
            missed_at = case when ${missed} > 0 then now() else missed_at end
          where id = ${webhookId} and last_event = ${after}`
        if (advanced.count === 0) return false
        if (deliveries.length === 0) return true
        const rows = deliveries.map(({ id, eventId, eventAt, type, body, createdAt }) => ({
          id,
          webhook_id: webhookId,
          event_id: eventId,
          event_at: eventAt ?? null,
          type,
          body,
          status: 'pending',
          created_at: createdAt,
          due_at: createdAt,
        }))
        await sql`insert into deliveries ${sql(rows)}`
        return true
      }),

    claimDeliveries: (health, { now, claimedUntil }, limits) =>
      inTransaction(sql, async () => {
        const { limit, perWebhook, maxBytes, maxBytesPerAccount, runningBytes } = limits
        const running = sql`(
          select count(*) from deliveries where webhook_id = w.id and claim_ends_at > ${now})`
        const webhooks = await sql<WebhookRow[]>`
          with recursive ${withPending}
          select w.* from pending join webhooks w on w.id = pending.id
          cross join lateral (
            select due_at from deliveries
            where webhook_id = w.id and status = 'pending' and due_at <= ${now}
            order by due_at limit 1) first
          where w.disabled_at is null and (w.failing_since is not null) = ${health === 'failing'}
            and ${running} < ${perWebhook} and w.account_id <> all(${fullAccounts(limits)}::uuid[])
          order by ${running}, first.due_at limit ${limit}
          for no key update of w skip locked`
        if (webhooks.length === 0) return []
        const share = Math.min(perWebhook, Math.max(1, Math.floor(limit / webhooks.length)))
        // Counts the running attempts again: before the webhooks were locked, other instances could claim deliveries.
        const rows = await sql<(DeliveryRow & (ClaimedEventRow | NoEvent))[]>`
          with claimed as (
            update deliveries set due_at = ${claimedUntil}, claim_ends_at = ${claimedUntil},
              claims = claims + 1
            where id = any(array(
              select id from (
                select id, sum(size) over (order by due_at, id) - size as bytes_before from (
                  select due.*, w.running_bytes - size + sum(size) over (
                    partition by w.account_id order by due.due_at, due.id) as account_bytes_before
                  from unnest(${webhooks.map(({ id }) => id)}::uuid[],
                    ${webhooks.map(({ account_id: id }) => id)}::uuid[],
                    ${webhooks.map(({ account_id: id }) => runningBytes.get(id) ?? 0)}::bigint[]
                  ) w (id, account_id, running_bytes)
                  cross join lateral (
                    select id, due_at, coalesce(octet_length(body), (
                      select octet_length(data::text) from events
                      where account_id = w.account_id and events.id = event_id), 0) as size
                    from deliveries
                    where webhook_id = w.id and status = 'pending' and due_at <= ${now}
                    order by due_at, id
                    limit least(${share}::int, greatest(0, ${perWebhook}::int - ${running}))
                    for update skip locked) due) due
                where account_bytes_before < ${maxBytesPerAccount}::bigint) due
              where bytes_before < ${maxBytes}))
            returning *)
          select claimed.*, e.type as event_type, e.created_at as event_created_at,
            e.actor::text as actor, e.data::text as data
          from claimed join webhooks w on w.id = claimed.webhook_id
          left join events e on e.account_id = w.account_id and e.id = claimed.event_id and claimed.body is null`
        const byId = new Map(webhooks.map((webhook) => [webhook.id, toWebhook(webhook)]))
        return rows.flatMap((row) => {
          const webhook = byId.get(row.webhook_id)
          if (webhook === undefined) return []
          const event = row.event_type === null ? undefined : row
          return [toClaimedDelivery(webhook, row, { event, claimedAt: now })]
        })
      }),

    async nextDeliveryAt(health) {
      const [row] = await sql<{ at: Date | null }[]>`
        with recursive ${withPending}
        select min(first.due_at) as at from pending join webhooks w on w.id = pending.id
        cross join lateral (
          select min(due_at) as due_at from deliveries
          where webhook_id = w.id and status = 'pending') first
        where w.disabled_at is null and (w.failing_since is not null) = ${health === 'failing'}`
      return row?.at ?? undefined
    },

    async renewClaims(claimed, claimedUntil) {
      const ids = claimed.map(({ delivery }) => delivery.id)
      const claims = claimed.map(({ claim }) => claim)
      // The rows are locked in the order of their IDs, so that no deadlock can occur.
      await sql`
        update deliveries set due_at = ${claimedUntil}, claim_ends_at = ${claimedUntil}
        where id in (
          select d.id from deliveries d
          join unnest(${ids}::uuid[], ${claims}::int[]) c (id, claim) on c.id = d.id and c.claim = d.claims
          where d.status = 'pending' order by d.id for update of d)`
    },

    async releaseClaim({ delivery, claim }) {
      await sql`
        update deliveries set due_at = now(), claim_ends_at = null
        where id = ${delivery.id} and claims = ${claim} and status = 'pending'`
    },

    async listAllWebhooks(after = FIRST_ID, limit) {
      const rows = await sql<WebhookStateRow[]>`
        select ${sql.unsafe(WEBHOOK_STATE)} from webhooks where id > ${after} order by id limit ${limit}`
      return rows.map(toImportedWebhook)
    },

    async listAllDeliveries(webhookId, after = FIRST_ID, limit) {
      const rows = await sql<DeliveryRow[]>`
        select * from deliveries where webhook_id = ${webhookId} and id > ${after}
        order by id limit ${limit}`
      return rows.map(toDelivery)
    },
  }
}

type FailedAttempt = Extract<AttemptResult, { outcome: 'failed' }>

/** Records attempts, and removes old deliveries. A webhook is locked before its deliveries. */
export function webhookAttempts(sql: Sql): DatabaseMethods['attempts'] {
  return {
    async recordAttempt(claimed, result) {
      const { webhook, delivery } = claimed
      const attempts = writeAttempts([...delivery.attempts, result.attempt])
      if (result.outcome === 'lost') {
        await inTransaction(sql, async () => {
          await sql`select from webhooks where id = ${webhook.id} for no key update`
          const lost = await sql`
            update deliveries set status = 'failed', due_at = null, claim_ends_at = null,
              attempts = ${attempts}
            where id = ${delivery.id} and status = 'pending' and claims = ${claimed.claim}`
          if (lost.count === 0) return
          await sql`
            update webhooks set missed_events = missed_events + 1, missed_at = now()
            where id = ${webhook.id}`
        })
        return { isDisabled: false }
      }
      if (result.outcome === 'failed') {
        return inTransaction(sql, () => recordFailure(sql, claimed, { result, attempts }))
      }
      const succeed = () => sql`
        update deliveries set status = 'succeeded', due_at = null, claim_ends_at = null,
          attempts = ${attempts}
        where id = ${delivery.id} and status = 'pending'`
      if (webhook.failingSince === null || delivery.type === PING) await succeed()
      else {
        await inTransaction(sql, async () => {
          await sql`
            update webhooks set failing_since = null where ${isTarget(sql, webhook)}`
          await succeed()
        })
      }
      return { isDisabled: false }
    },

    async forgetDeliveries(before, limit) {
      const removed = await sql`
        delete from deliveries where id = any(array(
          select id from deliveries where created_at < ${before} order by created_at limit ${limit}
          for update skip locked))`
      return removed.count
    },

    async trimDeliveries(webhookId, { keep, limit, now, latest }) {
      await sql`
        update deliveries set due_at = ${now}
        where webhook_id = ${webhookId} and status = 'pending' and due_at > ${latest}`
      const removed = await sql`
        delete from deliveries where id = any(array(
          select id from deliveries where webhook_id = ${webhookId} and status <> 'pending' and id < (
            select id from deliveries where webhook_id = ${webhookId} and status <> 'pending'
            order by id desc limit 1 offset ${keep - 1})
          order by id limit ${limit} for update skip locked))`
      return removed.count
    },
  }
}

/** An attempt with an earlier URL does not change the state of the webhook. */
function isTarget(sql: Sql, { id, url }: Webhook): Fragment {
  return sql`(id = ${id} and url = ${url})`
}

/** Locks the webhook before the delivery. Changes nothing if the delivery has ended or was claimed again. */
async function recordFailure(
  sql: Sql,
  { webhook, delivery, claim }: ClaimedDelivery,
  { result, attempts }: { result: FailedAttempt; attempts: string },
): Promise<{ isDisabled: boolean }> {
  const status = result.retryAt === undefined ? 'failed' : 'pending'
  await sql`select from webhooks where id = ${webhook.id} for no key update`
  const recorded = await sql`
    update deliveries set status = ${status}, due_at = ${result.retryAt ?? null},
      claim_ends_at = null, failures = failures + 1, attempts = ${attempts}
    where id = ${delivery.id} and status = 'pending' and claims = ${claim}`
  if (recorded.count === 0 || delivery.type === PING) return { isDisabled: false }
  const now = result.attempt.at
  const failingBefore = new Date(now.getTime() - result.failingForMs)
  await sql`
    update webhooks set failing_since = coalesce(failing_since, ${now})
    where ${isTarget(sql, webhook)}`
  const [disabled] = await sql<WebhookRow[]>`
    update webhooks set disabled_at = ${now}, disabled_reason = ${result.isGone ? 'gone' : 'failing'}
    where ${isTarget(sql, webhook)} and disabled_at is null
      and (${result.isGone} or failing_since <= ${failingBefore})
    returning *`
  if (disabled !== undefined) await recordEvent(sql, ...disabledEvent(toWebhook(disabled)))
  return { isDisabled: disabled !== undefined }
}
