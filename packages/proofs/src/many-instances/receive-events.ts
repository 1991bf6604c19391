import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { AccountData } from '@stowage/server/src/database/account-data'
import { eventNumber } from '@stowage/server/src/domain/event'
import { formatWebhookSecret } from '@stowage/server/src/domain/webhook'
import { until } from '@stowage/testing/machine/until'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { v7 as newUuid } from 'uuid'

const TIMEOUT_MS = 600_000

export interface EventReceiver {
  /**
   * Waits until all of these events are received, except those before the webhook was added. Returns how many requests
   * were repeated.
   */
  waitForAll(events: { id: number; type: string }[]): Promise<number>
}

/** Adds a webhook to the account, and receives its requests. */
export async function receiveEvents(t: TestContext, data: AccountData): Promise<EventReceiver> {
  const receiver = await aWebhookReceiver(t)
  /** The `webhook-id` of each event. */
  const received = new Map<number, string>()
  let requests = 0
  receiver.respond = (response, { headers, body }) => {
    const { id } = JSON.parse(body)
    const webhookId = String(headers['webhook-id'])
    // Repeated requests for an event have the same ID, so that receivers recognize them.
    assert.equal(received.get(id) ?? webhookId, webhookId)
    received.set(id, webhookId)
    requests += 1
    receiver.received.length = 0
    response.end()
  }
  const { lastId } = await data.listEvents({ after: 0, limit: 1 })
  const secret = formatWebhookSecret(new Uint8Array(32))
  const webhook = { id: newUuid(), url: receiver.url, description: '', types: null, secret }
  assert.ok(await data.addWebhook({ ...webhook, createdAt: new Date() }, 20))
  return {
    async waitForAll(events) {
      // A webhook does not receive the event of its creation.
      const wanted = events.filter(
        ({ id, type }) => eventNumber(id) > lastId && type !== 'webhook.created',
      )
      await until(
        'the webhook has received all events',
        () => received.size >= wanted.length,
        TIMEOUT_MS,
      )
      assert.deepEqual(
        [...received.keys()].sort((a, b) => a - b),
        wanted.map(({ id }) => id),
      )
      return requests - received.size
    },
  }
}
