import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { type DeliveryWithBody, withBody } from './delivery-body.ts'
import { getWebhook } from './get-webhook.ts'
import { deliveryNotFound } from './webhook-not-found.ts'

/** The delivery is sent again in the background, with the same ID and body. Its retries start over. */
export async function redeliver(
  context: AccountContext,
  webhookId: string,
  id: string,
): Promise<DeliveryWithBody> {
  const { disabled } = await getWebhook(context, webhookId)
  if (disabled !== null) {
    throw new ServiceError(
      'webhook_disabled',
      'The webhook is disabled. Enable it with PUT /webhooks/:id, then send the delivery again.',
    )
  }
  const delivery = await context.data.redeliver(webhookId, id)
  if (delivery === undefined) throw deliveryNotFound()
  if (delivery === 'forgotten') {
    throw new ServiceError(
      'delivery_expired',
      'The event of this delivery is no longer kept, so it cannot be sent again. List the assets and products instead.',
    )
  }
  context.deliveries.dispatchEvent(new Event('due'))
  return withBody(context, delivery)
}
