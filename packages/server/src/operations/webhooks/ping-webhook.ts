import { PING } from '../../domain/webhook.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import type { DeliveryWithBody } from './delivery-body.ts'
import { MAX_ATTEMPTS_PER_WEBHOOK, PING_CLAIM_MS } from './delivery-limits.ts'
import { getDelivery } from './get-delivery.ts'
import { webhookNotFound } from './webhook-not-found.ts'

/** Sends a test request and waits for the response. If this instance is killed meanwhile, another one sends it. */
export async function pingWebhook(
  context: AccountContext,
  webhookId: string,
): Promise<DeliveryWithBody> {
  const { data, clock, newId } = context
  const createdAt = clock()
  const body = { type: PING, timestamp: createdAt.toISOString(), data: { webhook_id: webhookId } }
  const claimed = await data.addPing(
    { id: newId(), eventId: null, type: PING, body: JSON.stringify(body), createdAt },
    { webhookId, claimForMs: PING_CLAIM_MS, maxClaims: MAX_ATTEMPTS_PER_WEBHOOK },
  )
  if (claimed === undefined) throw webhookNotFound()
  if (claimed === 'busy') {
    throw new ServiceError(
      'webhook_busy',
      `${MAX_ATTEMPTS_PER_WEBHOOK} requests to this webhook are waiting for a response. Send the ping again in a few seconds.`,
    )
  }
  await context.attemptDelivery(claimed)
  return getDelivery(context, webhookId, claimed.delivery.id)
}
