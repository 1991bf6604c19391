import type { AttemptResult, ClaimedDelivery } from '../../database/webhook-data.ts'
import { nextAttemptAt } from '../../domain/next-attempt.ts'
import { type Attempt, isSuccess, PING } from '../../domain/webhook.ts'
import { webhookHeaders } from '../../domain/webhook-signature.ts'
import type { Context } from '../context.ts'
import { FAILING_FOR_MS } from './delivery-limits.ts'

const GONE = 410

/**
 * Sends a claimed delivery once and records the result. If this instance is killed before the result is recorded,
 * another one sends the delivery again. If the signal is aborted before there is a response, the delivery is
 * released, so that another instance sends it, or this one after a restart.
 */
export async function attemptDelivery(
  { database, sendWebhook, warn }: Context,
  claimed: ClaimedDelivery,
  signal?: AbortSignal,
): Promise<void> {
  const { webhook, delivery, claimedAt: at } = claimed
  const { url } = webhook
  const { id, body } = delivery
  const headers = webhookHeaders(webhook, { id, sentAt: at, body })
  const { retryAfter, ...response } = await sendWebhook({ url, headers, body }, signal)
  if (signal?.aborted && response.status === null) return database.releaseClaim(claimed)
  const result = resultOf(claimed, { at, url, ...response }, retryAfter)
  const { isDisabled } = await database.recordAttempt(claimed, result)
  if (isDisabled) {
    warn(`the webhook ${webhook.id} is disabled: ${describe(response)}`, undefined)
  }
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

function describe({ status, error }: Pick<Attempt, 'status' | 'error'>): string {
  return status === null ? (error ?? 'no response') : `the last response had the status ${status}`
}
