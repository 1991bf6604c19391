import { PING } from '../../domain/webhook.ts'
import type { DeliveryData } from '../webhook-data.ts'
import { disabledEvent, toWebhook, type WebhookRow, writeAttempts } from '../webhook-rows.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { Connection } from './statement.ts'

type Arguments<Name extends keyof DeliveryData> = Parameters<DeliveryData[Name]>

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
    recordAttempt(...[claimed, result]: Arguments<'recordAttempt'>): { isDisabled: boolean } {
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
