import { sealWebhookSecret } from '../../crypto/secret-key.ts'
import type { WebhookState } from '../../domain/webhook.ts'
import { formatWebhookSecret, WEBHOOK_SECRET_BYTES } from '../../domain/webhook-signature.ts'
import type { AccountContext } from '../context.ts'
import { webhookNotFound } from './webhook-not-found.ts'

/** How long a replaced secret still signs requests. */
const VALID_FOR_MS = 24 * 3_600_000

/**
 * More than one, because the response of a rotation can be lost: the receiver’s secret must stay valid if the rotation
 * is repeated.
 */
const MAX_PREVIOUS_SECRETS = 4

/** Replaces the secret, and returns it unencrypted. Until the replaced one expires, requests are signed with both. */
export async function rotateSecret(context: AccountContext, id: string): Promise<WebhookState> {
  const { secretKey, accountId } = context
  const now = context.clock()
  const secret = formatWebhookSecret(context.randomBytes(WEBHOOK_SECRET_BYTES))
  const webhook = await context.data.rotateSecret(id, {
    secret: sealWebhookSecret(secretKey, { id, accountId }, secret),
    now,
    validUntil: new Date(now.getTime() + VALID_FOR_MS),
    maxPrevious: MAX_PREVIOUS_SECRETS,
  })
  if (webhook === undefined) throw webhookNotFound()
  return { ...webhook, secret }
}
