import type { WebhookChange } from '../../database/webhook-data.ts'
import type { WebhookState } from '../../domain/webhook.ts'
import type { AccountContext } from '../context.ts'
import { checkTarget } from './check-target.ts'
import { webhookNotFound } from './webhook-not-found.ts'

/** Fields that are not given keep their values. */
export async function changeWebhook(
  context: AccountContext,
  id: string,
  change: WebhookChange,
): Promise<WebhookState> {
  if (change.url !== undefined) checkTarget(context, change.url)
  const webhook = await context.data.changeWebhook(id, change, context.clock())
  if (webhook === undefined) throw webhookNotFound()
  return webhook
}
