import { openWebhookSecrets, sealWebhookSecret } from '../crypto/secret-key.ts'
import type { Webhook } from '../domain/webhook.ts'
import type { Destinations } from './copy-accounts.ts'
import { type Move, MoveRefused } from './move.ts'

/** How many webhooks are read at a time. */
const WEBHOOKS = 100
/** How many deliveries are read at a time. Their bodies can be large. */
const DELIVERIES = 100

/**
 * Copies the webhooks with their secrets and deliveries. The secrets are encrypted with the key of the target. The target
 * sends the pending deliveries.
 */
export async function copyWebhooks(
  move: Pick<Move, 'source' | 'target'>,
  { accounts }: Pick<Destinations, 'accounts'>,
): Promise<void> {
  const { source } = move
  const { database } = source
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, WEBHOOKS)
    for (const { pending, ...webhook } of webhooks) {
      const account = accounts.get(webhook.accountId)
      const target = account?.data
      const secrets = sealForTarget(move, webhook, account?.id ?? '')
      await target?.importWebhooks({ webhooks: [{ ...webhook, ...secrets }], deliveries: [] })
      for (let last: string | undefined; ; ) {
        const deliveries = await database.listAllDeliveries(webhook.id, last, DELIVERIES)
        await target?.importWebhooks({ webhooks: [], deliveries })
        last = deliveries.at(-1)?.id
        if (deliveries.length < DELIVERIES) break
      }
    }
    after = webhooks.at(-1)?.id
    if (webhooks.length < WEBHOOKS) return
  }
}

/** Called before anything is copied. Refuses a source whose secrets cannot be decrypted. */
export async function refuseUnreadableSecrets(
  move: Pick<Move, 'source' | 'target'>,
): Promise<void> {
  for (let after: string | undefined; ; ) {
    const webhooks = await move.source.database.listAllWebhooks(after, WEBHOOKS)
    for (const webhook of webhooks) sealForTarget(move, webhook, webhook.accountId)
    after = webhooks.at(-1)?.id
    if (webhooks.length < WEBHOOKS) return
  }
}

function sealForTarget(
  { source, target }: Pick<Move, 'source' | 'target'>,
  webhook: Webhook,
  accountId: string,
) {
  const owner = { id: webhook.id, accountId }
  const seal = (secret: string) => sealWebhookSecret(target.secretKey, owner, secret)
  try {
    // Secrets that are not encrypted need no key.
    const { secret, previousSecrets } = openWebhookSecrets(
      source.secretKey ?? target.secretKey,
      webhook,
    )
    const previous = previousSecrets.map(({ secret: old, validUntil }) => {
      return { secret: seal(old), validUntil }
    })
    return { secret: seal(secret), previousSecrets: previous }
  } catch {
    throw new MoveRefused(
      'the secrets of the webhooks in the source cannot be decrypted. Set STOWAGE_SECRET_KEY to the key of the source. If it is lost, run `stowage adopt` in the source, start its service, and replace the secret of each webhook',
    )
  }
}
