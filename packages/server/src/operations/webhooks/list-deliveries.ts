import type { DeliveryQuery } from '../../database/webhook-data.ts'
import type { PagePosition } from '../../domain/paging.ts'
import type { Delivery } from '../../domain/webhook.ts'
import type { AccountContext } from '../context.ts'
import { readPage } from '../listing/read-page.ts'
import { getWebhook } from './get-webhook.ts'

/** Newest first, without their bodies. */
export async function listDeliveries(
  context: AccountContext,
  webhookId: string,
  query: DeliveryQuery,
): Promise<{ deliveries: Delivery[]; position: PagePosition }> {
  await getWebhook(context, webhookId)
  const read = (page: DeliveryQuery) => context.data.listDeliveries(webhookId, page)
  const { rows, position } = await readPage(query, read, ({ id }) => id)
  return { deliveries: rows, position }
}
