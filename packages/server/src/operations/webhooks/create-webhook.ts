import { MAX_WEBHOOKS } from '@stowage/protocol'
import { sealWebhookSecret } from '../../crypto/secret-key.ts'
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

/** The webhook receives the events that are recorded after its creation. Returns its secret unencrypted. */
export async function createWebhook(
  context: AccountContext,
  details: WebhookDetails,
): Promise<WebhookState> {
  checkTarget(context, details.url)
  const { secretKey, accountId } = context
  const id = context.newId()
  const secret = formatWebhookSecret(context.randomBytes(WEBHOOK_SECRET_BYTES))
  const sealed = sealWebhookSecret(secretKey, { id, accountId }, secret)
  const webhook = { ...details, id, secret: sealed, createdAt: context.clock() }
  const added = await context.data.addWebhook(webhook, MAX_WEBHOOKS)
  if (added !== undefined) return { ...added, secret }
  throw new ServiceError(
    'too_many_webhooks',
    `The account has ${MAX_WEBHOOKS} webhooks, which is the maximum. Delete one that you do not need.`,
  )
}
