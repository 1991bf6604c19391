import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { type Delivery, EVENT_TYPES, type WebhookWithSecret } from '@stowage/protocol'
import { aWebhookReceiver, type WebhookReceiver } from '@stowage/testing/service/events'
import { deliverAll, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import type { Context } from '../../src/operations/context.ts'

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/** A service with a webhook, whose deliveries the test sends itself. */
export interface WebhookFixture {
  service: TestService
  receiver: WebhookReceiver
  webhook: WebhookWithSecret
  path: string
  /** Sends the deliveries that are due this many milliseconds from now. Returns the number of attempts. */
  deliver(afterMs?: number): Promise<number>
  deliveries(query?: string): Promise<Delivery[]>
  /** Makes a change with one event: a new link. */
  addLink(filename?: string): Promise<string>
  own: Context
}

/** Without the events of webhooks, so that changing the webhook queues no delivery. */
const TYPES = EVENT_TYPES.filter((type) => !type.startsWith('webhook.'))

export async function aWebhookFixture(t: TestContext, body: object = {}): Promise<WebhookFixture> {
  const service = await aService(t)
  const own = await takeOverJobs(service)
  const receiver = await aWebhookReceiver(t)
  const request = { url: receiver.url, types: TYPES, ...body }
  const created = await service.call('POST', `${API}/webhooks`, request)
  assert.equal(created.status, 201)
  const webhook: WebhookWithSecret = created.body.data
  const path = `${API}/webhooks/${webhook.id}`
  return {
    service,
    receiver,
    webhook,
    path,
    own,
    deliver: (afterMs) => deliverAll(own, afterMs),
    async deliveries(query = '') {
      return (await service.call('GET', `${path}/deliveries${query}`)).body.data
    },
    async addLink(filename = 'a.zip') {
      const link = { filename, url: 'https://example.com/a.zip' }
      const stored = await service.call('POST', `${API}/assets/store`, link)
      assert.equal(stored.status, 201)
      return stored.body.data.id
    },
  }
}
