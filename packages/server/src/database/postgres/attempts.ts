import { PING } from '../../domain/webhook.ts'
import type { DeliveryData } from '../webhook-data.ts'
import { writeAttempts } from '../webhook-rows.ts'
import { begin, type Sql } from './connection.ts'

type Attempts = Pick<DeliveryData, 'recordAttempt' | 'forgetDeliveries' | 'trimDeliveries'>

/** Records attempts, and removes old deliveries. Every transaction locks the webhook before its deliveries. */
export function webhookAttempts(sql: Sql): Attempts {
  return {
    recordAttempt: ({ webhook, delivery, claim }, result) =>
      begin(sql, async (transaction) => {
        const attempts = writeAttempts([...delivery.attempts, result.attempt])
        const isPing = delivery.type === PING
        if (result.outcome === 'succeeded') {
          if (!isPing) {
            await transaction`
              update webhooks set failing_since = null
              where id = ${webhook.id} and failing_since is not null`
          }
          await transaction`
            update deliveries set status = 'succeeded', due_at = null, claimed_until = null,
              attempts = ${attempts}
            where id = ${delivery.id} and status = 'pending'`
          return { isDisabled: false }
        }
        const now = result.attempt.at
        const reason = result.isGone ? 'gone' : 'failing'
        const failingBefore = new Date(now.getTime() - result.failingForMs)
        let isDisabled = false
        if (!isPing) {
          await transaction`
            update webhooks set failing_since = coalesce(failing_since, ${now})
            where id = ${webhook.id}`
          const disabled = await transaction`
            update webhooks set disabled_at = ${now}, disabled_reason = ${reason}
            where id = ${webhook.id} and disabled_at is null
              and (${result.isGone} or failing_since <= ${failingBefore})`
          isDisabled = disabled.count > 0
        }
        const status = result.retryAt === undefined ? 'failed' : 'pending'
        await transaction`
          update deliveries set status = ${status}, due_at = ${result.retryAt ?? null},
            claimed_until = null, failures = failures + 1, attempts = ${attempts}
          where id = ${delivery.id} and status = 'pending' and claims = ${claim}`
        return { isDisabled }
      }),

    async forgetDeliveries(before, limit) {
      const removed = await sql`
        delete from deliveries where id in (
          select id from deliveries where created_at < ${before} order by created_at limit ${limit}
          for update skip locked)`
      return removed.count
    },

    async trimDeliveries(webhookId, { keep, limit, now, latest }) {
      await sql`
        update deliveries set due_at = ${now}
        where webhook_id = ${webhookId} and status = 'pending' and due_at > ${latest}`
      const removed = await sql`
        delete from deliveries where id in (
          select id from deliveries where webhook_id = ${webhookId} and status <> 'pending' and id < (
            select id from deliveries where webhook_id = ${webhookId} and status <> 'pending'
            order by id desc limit 1 offset ${keep - 1})
          order by id limit ${limit} for update skip locked)`
      return removed.count
    },
  }
}
