import type { Delivery } from '../../domain/webhook.ts'
import type { AccountContext } from '../context.ts'
import { deliveryNotFound } from './webhook-not-found.ts'

export async function getDelivery(
  { data }: Pick<AccountContext, 'data'>,
  webhookId: string,
  id: string,
): Promise<Delivery> {
  const delivery = await data.findDelivery(webhookId, id)
  if (delivery === undefined) throw deliveryNotFound()
  return delivery
}
