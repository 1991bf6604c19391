import type { WebhookState } from '../../domain/webhook.ts'
import type { AccountContext } from '../context.ts'

/** All webhooks of the account, oldest first. */
export function listWebhooks({ data }: Pick<AccountContext, 'data'>): Promise<WebhookState[]> {
  return data.listWebhooks()
}
