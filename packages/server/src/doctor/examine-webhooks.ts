import type { Finding } from '../domain/finding.ts'
import type { Webhook } from '../domain/webhook.ts'
import type { DoctorContext } from './doctor-context.ts'

const PAGE = 100

/** Reports the webhooks that are disabled or whose requests fail. */
export async function examineWebhooks({
  database,
}: Pick<DoctorContext, 'database'>): Promise<Finding> {
  const check = 'webhooks'
  const items: string[] = []
  let total = 0
  for (let after: string | undefined; ; ) {
    const webhooks = await database.listAllWebhooks(after, PAGE)
    total += webhooks.length
    items.push(...webhooks.flatMap((webhook) => problemOf(webhook) ?? []))
    after = webhooks.at(-1)?.id
    if (webhooks.length < PAGE) break
  }
  if (items.length === 0) {
    return { check, status: 'ok', message: `${total} checked, none of them fails` }
  }
  const message = `webhooks that fail or are disabled: ${items.length} of ${total}`
  return { check, status: 'note', message, items }
}

function problemOf({ id, url, disabled, failingSince }: Webhook): string | undefined {
  if (disabled !== null) {
    return `${id} ${url}: disabled (${disabled.reason}) since ${disabled.at.toISOString()}`
  }
  return failingSince === null
    ? undefined
    : `${id} ${url}: failing since ${failingSince.toISOString()}`
}
