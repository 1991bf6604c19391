import { PING, type Webhook } from '../../domain/webhook.ts'
import type { AttemptResult, ClaimedDelivery, DeliveryData } from '../webhook-data.ts'
import { disabledEvent, toWebhook, type WebhookRow, writeAttempts } from '../webhook-rows.ts'
import { begin, type Sql } from './connection.ts'
import { recordEvent } from './record-events.ts'
import type { Fragment } from './statement.ts'

type FailedAttempt = Extract<AttemptResult, { outcome: 'failed' }>
type Attempts = Pick<DeliveryData, 'recordAttempt' | 'forgetDeliveries' | 'trimDeliveries'>

/** Records attempts, and removes old deliveries. A webhook is locked before its deliveries. */
export function webhookAttempts(sql: Sql): Attempts {
  return {
    async recordAttempt(claimed, result) {
      const { webhook, delivery } = claimed
      const attempts = writeAttempts([...delivery.attempts, result.attempt])
      if (result.outcome === 'lost') {
        await begin(sql, async (transaction) => {
          await transaction`select from webhooks where id = ${webhook.id} for no key update`
          const lost = await transaction`
            update deliveries set status = 'failed', due_at = null, claim_ends_at = null,
              attempts = ${attempts}
            where id = ${delivery.id} and status = 'pending' and claims = ${claimed.claim}`
          if (lost.count === 0) return
          await transaction`
            update webhooks set missed_events = missed_events + 1, missed_at = now()
            where id = ${webhook.id}`
        })
        return { isDisabled: false }
      }
      if (result.outcome === 'failed') {
        return begin(sql, (transaction) =>
          recordFailure(transaction, claimed, { result, attempts }),
        )
      }
      const succeed = (on: Sql) => on`
        update deliveries set status = 'succeeded', due_at = null, claim_ends_at = null,
          attempts = ${attempts}
        where id = ${delivery.id} and status = 'pending'`
      if (webhook.failingSince === null || delivery.type === PING) await succeed(sql)
      else {
        await begin(sql, async (transaction) => {
          await transaction`
            update webhooks set failing_since = null where ${isTarget(sql, webhook)}`
          await succeed(transaction)
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
