import type { Destinations } from './copy-accounts.ts'
import type { Move } from './move.ts'

/** How many webhooks are read at a time. */
const WEBHOOKS = 100
/** How many deliveries are read at a time. Their bodies can be large. */
const DELIVERIES = 100

/** Copies the webhooks with their secrets and deliveries. The target sends the pending deliveries. */
export async function copyWebhooks(
  { source }: Pick<Move, 'source'>,
  { accounts }: Pick<Destinations, 'accounts'>,
): Promise<void> {
  const { database } = source
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, WEBHOOKS)
    for (const { pending, ...webhook } of webhooks) {
      const target = accounts.get(webhook.accountId)?.data
      await target?.importWebhooks({ webhooks: [webhook], deliveries: [] })
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
