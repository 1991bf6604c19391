import { openWebhookSecrets } from '../../crypto/secret-key.ts'
import type { AttemptResult, ClaimedDelivery } from '../../database/webhook-data.ts'
import { nextAttemptAt } from '../../domain/next-attempt.ts'
import { type Attempt, isSuccess, PING, type Webhook } from '../../domain/webhook.ts'
import { webhookHeaders } from '../../domain/webhook-signature.ts'
import { UnreadableEvent } from '../../errors.ts'
import type { AttemptOutcome, Context } from '../context.ts'
import { bodyOfEvent } from './delivery-body.ts'
import { FAILING_FOR_MS } from './delivery-limits.ts'

const GONE = 410

/**
 * Sends a claimed delivery once and records the result. If this instance is killed before the result is recorded,
 * another one sends the delivery again. If the signal is aborted before there is a response, the delivery is
 * released, so that another instance sends it, or this one after a restart.
 */
export async function attemptDelivery(
  context: Context,
  claimed: ClaimedDelivery,
  signal?: AbortSignal,
): Promise<AttemptOutcome> {
  const { database, sendWebhook, warn } = context
  const { webhook, delivery, claimedAt: at } = claimed
  const { url } = webhook
  const { id } = delivery
  const { body, problem } = readBody(context, claimed)
  if (body === undefined) {
    const attempt = { at, url, status: null, durationMs: 0, error: problem, response: null }
    await database.recordAttempt(claimed, { outcome: 'lost', attempt })
    return 'lost'
  }
  const secrets = openSecrets(context, webhook)
  const { retryAfter, ...response } =
    secrets === undefined
      ? CANNOT_SIGN
      : await sendWebhook(
          { url, headers: webhookHeaders(secrets, { id, sentAt: at, body }), body },
          signal,
        )
  if (signal?.aborted && response.status === null) {
    await database.releaseClaim(claimed)
    return 'released'
  }
  const result = resultOf(claimed, { at, url, ...response }, retryAfter)
  const { isDisabled } = await database.recordAttempt(claimed, result)
  if (isDisabled) {
    warn(`the webhook ${webhook.id} is disabled: ${describe(response)}`, undefined)
  }
  return result.outcome
}

/** Undefined if the secret cannot be decrypted. */
function openSecrets({ secretKey, warn }: Context, webhook: Webhook) {
  try {
    return openWebhookSecrets(secretKey, webhook)
  } catch (error) {
    warn(`the secret of the webhook ${webhook.id} cannot be decrypted`, error)
    return undefined
  }
}

type Body = { body: string; problem?: undefined } | { body?: undefined; problem: string }

/** The body of the request, or the reason why the delivery cannot be sent. */
function readBody(context: Context, { delivery, event, webhook }: ClaimedDelivery): Body {
  if (delivery.body !== '') return { body: delivery.body }
  if (event === undefined) {
    const problem =
      'The event was removed before it could be sent, because the account has more events than are kept'
    return { problem }
  }
  try {
    if (event instanceof UnreadableEvent) throw event
    return { body: bodyOfEvent(context, event) }
  } catch (error) {
    const { eventId } = delivery
    context.warn(
      `could not send the event ${eventId} of the account ${webhook.accountId}, which cannot be read`,
      error,
    )
    return { problem: 'The event cannot be read. Run stowage doctor.' }
  }
}

const CANNOT_SIGN = {
  status: null,
  durationMs: 0,
  error:
    'The secret of the webhook cannot be decrypted. Replace it with POST /webhooks/:id/rotate.',
  response: null,
  retryAfter: null,
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
