import { MAX_WEBHOOKS } from '@stowage/protocol'
import type { WebhookState } from '../../domain/webhook.ts'
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from '../../domain/webhook-signature.ts'
import { ServiceError } from '../../errors.ts'
import type { AccountContext } from '../context.ts'
import { checkTarget } from './check-target.ts'

export interface WebhookDetails {
  url: string
  description: string
  types: string[] | null
}

/** The webhook receives the events that are recorded after its creation. */
export async function createWebhook(
  context: AccountContext,
  details: WebhookDetails,
): Promise<WebhookState> {
  checkTarget(context, details.url)
  const webhook = {
    ...details,
    id: context.newId(),
    secret: formatWebhookSecret(context.randomBytes(WEBHOOK_SECRET_BYTES)),
    createdAt: context.clock(),
  }
  const added = await context.data.addWebhook(webhook, MAX_WEBHOOKS)
  if (added !== undefined) return added
  throw new ServiceError(
    'too_many_webhooks',
    `The account has ${MAX_WEBHOOKS} webhooks, which is the maximum. Delete one that you do not need.`,
  )
}
