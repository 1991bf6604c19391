import type { WebhookState } from '../../domain/webhook.ts'
import type { AccountContext } from '../context.ts'
import { webhookNotFound } from './webhook-not-found.ts'

export async function getWebhook(
  { data }: Pick<AccountContext, 'data'>,
  id: string,
): Promise<WebhookState> {
  const webhook = await data.findWebhook(id)
  if (webhook === undefined) throw webhookNotFound()
  return webhook
}
