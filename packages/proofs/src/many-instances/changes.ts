import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { AccountData } from '@stowage/server/src/database/account-data'
import { eventNumber } from '@stowage/server/src/domain/event'
import { formatWebhookSecret } from '@stowage/server/src/domain/webhook'
import { until } from '@stowage/testing/machine/until'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import type { JsonResponse } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { v7 as newUuid } from 'uuid'
import { type RetryOptions, retryUntilResponse } from './clients.ts'

/**
 * A change that a client requested. The data of its event contains `mark`. No other successful change has the same type
 * and the same mark.
 */
export interface MarkedChange {
  type: string
  mark: string
  /** How often the request was sent. Each attempt whose connection broke may have made the change. */
  attempts: number
  isRefused: boolean
}

interface ChangingClient extends RetryOptions {
  /** The prefix of its marks. */
  name: string
  secret: string
  /** Every change is added here when it has ended. */
  changes: MarkedChange[]
  isOver: () => boolean
}

/** Makes changes of several kinds until `isOver` returns true. Some are refused on purpose, and must leave no event. */
export async function changeUntilOver(client: ChangingClient): Promise<void> {
  for (let round = 1; !client.isOver(); round += 1)
    await changeOne(client, `${client.name}-${round}`)
}

interface Change {
  type: string
  mark: string
  call: [method: string, path: string, body?: object]
  expected: number
  expectedOnRetry?: number
}

async function changeOne(client: ChangingClient, mark: string): Promise<void> {
  const id = await addLink(client, mark)
  const shopId = Number(`${client.random.between(1, 1e6)}${client.random.between(1, 1e6)}`)
  const product = { product_id: shopId, variant_id: shopId, name: mark }
  const put: Change = {
    type: 'product.updated',
    mark: `product ${mark}`,
    call: ['PUT', '/products', { products: [{ ...product, name: `product ${mark}` }] }],
    expected: 200,
  }
  const { body } = await send(client, put)
  const renamed = `renamed ${mark}`
  await send(client, {
    type: 'asset.updated',
    mark: renamed,
    call: ['PUT', `/assets/${id}`, { filename: renamed }],
    expected: 200,
  })
  const selection = { products: [body.data[0].id] }
  const attach = ['POST', `/assets/${id}/attach`] as const
  const attached = { type: 'asset.attached', mark: renamed, expected: 201 }
  await send(client, { ...attached, call: [...attach, selection] })
  await refuse(client, { ...attached, call: [...attach, { products: [id] }], expected: 422 })
  await refuse(client, {
    type: 'upload.started',
    mark: `huge ${mark}`,
    call: ['POST', '/assets/signed', { name: `huge ${mark}`, size: 1e15 }],
    expected: 402,
  })
  await cancelUpload(client, mark)
  const removal = `/assets/${id}`
  const deleted = { type: 'asset.deleted', mark: renamed, expected: 202, expectedOnRetry: 404 }
  await send(client, { ...deleted, call: ['DELETE', removal] })
  const permanent = { ...deleted, type: 'asset.removed' }
  if (client.random.between(0, 4) > 0) {
    await send(client, { ...permanent, call: ['DELETE', `${removal}?permanent=true`] })
  }
}

async function addLink(client: ChangingClient, mark: string): Promise<string> {
  const link = { filename: `link ${mark}`, url: 'https://example.com/x' }
  const call: Change['call'] = ['POST', '/assets/store', link]
  const { body } = await send(client, {
    type: 'asset.ready',
    mark: link.filename,
    call,
    expected: 201,
  })
  return body.data.id
}

async function cancelUpload(client: ChangingClient, mark: string): Promise<void> {
  const name = `upload ${mark}`
  const call: Change['call'] = ['POST', '/assets/signed', { name, size: 10 }]
  const { body } = await send(client, { type: 'upload.started', mark: name, call, expected: 201 })
  const cancel: Change['call'] = [
    'POST',
    `/assets/${body.id}/cancel`,
    { upload_id: body.upload_id },
  ]
  await send(client, { type: 'upload.cancelled', mark: name, call: cancel, expected: 200 })
}

async function send(client: ChangingClient, change: Change): Promise<JsonResponse> {
  return record(client, change, false)
}

async function refuse(client: ChangingClient, change: Change): Promise<void> {
  await record(client, change, true)
}

async function record(
  client: ChangingClient,
  { type, mark, call: [method, path, body], expected, expectedOnRetry }: Change,
  isRefused: boolean,
): Promise<JsonResponse> {
  let attempts = 0
  const response = await retryUntilResponse(client, {
    step: 'request',
    expected,
    ...(expectedOnRetry !== undefined && { expectedOnRetry }),
    async send(url) {
      attempts += 1
      return sendJson(`${url}${API}${path}`, { method, secret: client.secret, body })
    },
  })
  client.changes.push({ type, mark, attempts, isRefused })
  return response
}

async function sendJson(
  url: string,
  { method, secret, body }: { method: string; secret: string; body: object | undefined },
): Promise<JsonResponse> {
  const response = await fetch(url, {
    method,
    headers: {
      Authorization: `Bearer ${secret}`,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** A recorded event, as a reader or a receiver has seen it. */
export interface SeenEvent {
  id: number
  type: string
  data: object
}

/**
 * Fails unless each change has an event, and at most one for each attempt that may have made it. Refused changes must
 * have none. Returns the number of changes that were made.
 */
export function checkMarkedEvents(events: SeenEvent[], changes: MarkedChange[]): number {
  const counts = new Map<string, number>()
  for (const { type, data } of events) {
    const { filename, name } = data as { filename?: string; name?: string }
    const key = `${type} ${filename ?? name}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const expected = Map.groupBy(changes, ({ type, mark }) => `${type} ${mark}`)
  let made = 0
  for (const [key, same] of expected) {
    const accepted = same.filter(({ isRefused }) => !isRefused)
    const least = accepted.length
    const most = accepted.reduce((sum, { attempts }) => sum + attempts, 0)
    const count = counts.get(key) ?? 0
    assert.ok(
      count >= least && count <= most,
      `${key}: ${count} events, ${least} to ${most} changes`,
    )
    made += count
  }
  return made
}

const TIMEOUT_MS = 600_000

interface EventReceiver {
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
