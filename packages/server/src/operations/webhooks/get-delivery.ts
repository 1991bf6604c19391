import type { AccountContext } from '../context.ts'
import { type DeliveryWithBody, withBody } from './delivery-body.ts'
import { deliveryNotFound } from './webhook-not-found.ts'

export async function getDelivery(
  context: Pick<AccountContext, 'data' | 'presentEvent'>,
  webhookId: string,
  id: string,
): Promise<DeliveryWithBody> {
  const delivery = await context.data.findDelivery(webhookId, id)
  if (delivery === undefined) throw deliveryNotFound()
  return withBody(context, delivery)
}
