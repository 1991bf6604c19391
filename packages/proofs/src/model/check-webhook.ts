import assert from 'node:assert/strict'
import { until } from '@stowage/testing/machine/until'
import type { TestAccount } from '@stowage/testing/service/accounts'
import { deliverAll } from '@stowage/testing/service/jobs'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

/** The IDs of the events that the webhooks of all accounts received, by URL. */
export type Received = Map<string, number[]>

/** Makes the service add the IDs of events to the returned map instead of sending the events to webhooks. */
export function receiveWebhooks({ context }: TestService): Received {
  const received: Received = new Map()
  context.sendWebhook = async ({ url, body }) => {
    received.set(url, [...(received.get(url) ?? []), JSON.parse(body).id])
    return { status: 204, durationMs: 1, error: null, response: '', retryAfter: null }
  }
  return received
}

export function webhookUrlOf({ id }: TestAccount): string {
  return `https://shop.example/${id}`
}

/** Fails unless the webhook of the account has received each of its events once. */
export async function checkWebhook(
  { context }: TestService,
  account: TestAccount,
  received: Received,
): Promise<void> {
  // The service sends deliveries at the same time, and its jobs may still record events.
  await until('the webhook has received all events', async () => {
    await deliverAll(context)
    const { body } = await account.call('GET', `${API}/events?limit=1000`)
    const ids: number[] = body.data.filter(isAfterCreation).map(({ id }: { id: number }) => id)
    const sent = (received.get(webhookUrlOf(account)) ?? []).toSorted((a, b) => a - b)
    assert.equal(new Set(sent).size, sent.length, `an event was sent twice: ${sent}`)
    return sent.join() === ids.join()
  })
}

/** The keys of the account are created before its webhook, which does not receive its own creation. */
function isAfterCreation({ type }: { type: string }): boolean {
  return !type.startsWith('key.') && type !== 'webhook.created'
}
