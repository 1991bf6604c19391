import { createHmac } from 'node:crypto'
import type { Webhook } from './webhook.ts'

const PREFIX = 'whsec_'

/** Within the 24 to 64 bytes that Standard Webhooks requires. */
export const WEBHOOK_SECRET_BYTES = 32

export function formatWebhookSecret(random: Uint8Array): string {
  return PREFIX + Buffer.from(random).toString('base64')
}

export interface SignedMessage {
  id: string
  sentAt: Date
  body: string
}

/**
 * The headers of Standard Webhooks: https://github.com/standard-webhooks/standard-webhooks. Replaced secrets that
 * are still valid sign the message, too, so that receivers can change to the new one at any time.
 */
export function webhookHeaders(
  webhook: Pick<Webhook, 'secret' | 'previousSecrets'>,
  { id, sentAt, body }: SignedMessage,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000))
  const valid = webhook.previousSecrets.filter(({ validUntil }) => validUntil > sentAt)
  const secrets = [webhook.secret, ...valid.map(({ secret }) => secret)]
  const content = `${id}.${timestamp}.${body}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => `v1,${sign(secret, content)}`).join(' '),
  }
}

function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return createHmac('sha256', key).update(content).digest('base64')
}
