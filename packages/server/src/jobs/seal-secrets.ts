import { isSealed, sealWebhookSecret } from '../crypto/secret-key.ts'
import type { Context } from '../operations/context.ts'
import { BATCH } from './job.ts'

/** Encrypts the secrets of webhooks that an earlier version stored in plain text. */
export async function sealSecrets(
  { database, secretKey }: Context,
  signal: AbortSignal,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, BATCH)
    for (const webhook of webhooks) {
      const stored = [webhook.secret, ...webhook.previousSecrets.map(({ secret }) => secret)]
      if (stored.every(isSealed)) continue
      const seal = (secret: string) =>
        isSealed(secret) ? secret : sealWebhookSecret(secretKey, webhook, secret)
      const previousSecrets = webhook.previousSecrets.map(({ secret, validUntil }) => {
        return { secret: seal(secret), validUntil }
      })
      const sealed = { secret: seal(webhook.secret), previousSecrets }
      await database.replaceSecrets(webhook.id, webhook.secret, sealed)
    }
    after = webhooks.at(-1)?.id
    if (webhooks.length < BATCH || signal.aborted) return
  }
}
