import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Asset, Event } from '@stowage/protocol'
import { backup, check } from '@stowage/server/src/operator/backup'
import { restore } from '@stowage/server/src/operator/restore'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { aRandom, type Random, seedOf } from '@stowage/testing/machine/random'
import { until } from '@stowage/testing/machine/until'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { aMailServer, mailSettings, type ReceivedMail } from '@stowage/testing/service/mail-server'
import {
  aDeployment,
  aService,
  callJson,
  configOf,
  type Deployment,
  type TestService,
} from '@stowage/testing/service/service'
import { API, someBytes } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * A shop at work, a backup in the middle of it, everything destroyed, and restored on these engines and on others. For more
 * work, or to repeat a run:
 *
 *     DRILL_ACTIONS=2000 TEST_TIMEOUT_MS=3600000 npx node --test packages/proofs/src/backups/drill.test.ts
 *     DRILL_SEED=123 npx node --test packages/proofs/src/backups/drill.test.ts
 */
const ACTIONS = Number(process.env.DRILL_ACTIONS ?? (isOnS3 ? 120 : 240))
const CLIENTS = 4
const SETTINGS = {
  STOWAGE_CHUNK_SIZE: '1000',
  STOWAGE_KEEP_VERSIONS: '1',
  STOWAGE_WEBHOOK_TARGETS: 'any',
}
const PRODUCTS = [1, 2, 3]

/** A file that a client has sent. */
interface SentVersion {
  size: number
  seed: number
}

interface KnownAsset {
  id: string
  /** By version. */
  sent: Map<number, SentVersion>
  /** Whether a client has asked for its removal. */
  isLeaving: boolean
}

interface Shop {
  service: TestService
  random: Random
  assets: Map<string, KnownAsset>
  /** The address of each order that was created, with the path of its page. */
  orders: Map<string, string>
  /** How often each kind of action was done. */
  counts: Record<string, number>
}

async function call(shop: Shop, method: string, path: string, body?: unknown) {
  return callJson(shop.service.baseUrl + API + path, { method, body })
}

/** Sends a file. Undefined if it was refused, because the asset is being replaced or was removed. */
async function send(shop: Shop, path: string, known?: KnownAsset): Promise<Asset | undefined> {
  const size = shop.random.between(0, 3500)
  const seed = shop.random.between(1, 2 ** 30)
  const bytes = someBytes(size, seed)
  const name = known === undefined ? { name: `file ${seed}.bin` } : {}
  const signed = await call(shop, 'POST', path, { size, ...name })
  if (signed.status !== 201) return undefined
  for (const { start, end, url } of signed.body.urls) {
    await fetch(url, { method: 'PUT', body: new Uint8Array(bytes.subarray(start, end)) })
  }
  // Before the response: the version may be current although its client does not know it.
  const id = signed.body.id
  const asset = known ?? { id, sent: new Map(), isLeaving: false }
  const { upload_id } = signed.body
  const completed = await call(shop, 'POST', `/assets/${id}/uploaded`, { upload_id })
  if (completed.status !== 200) return undefined
  asset.sent.set(completed.body.data.version, { size, seed })
  shop.assets.set(id, asset)
  return completed.body.data
}

const ACTS: Record<string, (shop: Shop, asset: KnownAsset | undefined) => Promise<unknown>> = {
  upload: (shop) => send(shop, '/assets/signed'),
  async sell(shop) {
    const asset = await send(shop, '/assets/signed')
    if (asset === undefined) return
    const product_ids = [shop.random.pick([1, 2, 3])]
    await call(shop, 'POST', `/assets/${asset.id}/attach`, { product_ids })
  },
  replace: async (shop, asset) => asset && send(shop, `/assets/${asset.id}/signed`, asset),
  async trash(shop, asset) {
    if (asset === undefined) return
    asset.isLeaving = true
    await call(shop, 'DELETE', `/assets/${asset.id}`)
  },
  async remove(shop, asset) {
    if (asset === undefined) return
    asset.isLeaving = true
    await call(shop, 'DELETE', `/assets/${asset.id}?permanent=true`)
  },
  async order(shop, asset) {
    const email = `${randomUUID()}@example.com`
    const lines = [{ product_id: shop.random.pick([1, 2, 3]) }]
    const assets = asset === undefined || asset.isLeaving ? [] : [asset.id]
    const { status, body } = await call(shop, 'POST', '/orders', {
      email,
      lines,
      assets,
      notify: true,
    })
    if (status === 201) shop.orders.set(email, new URL(body.data.url).pathname)
  },
  async download(shop, asset) {
    const path = [...shop.orders.values()].at(shop.random.between(-3, 0))
    if (path === undefined || asset === undefined) return
    const url = `${shop.service.baseUrl}${path}/${asset.id}`
    await (await fetch(url, { method: 'POST' })).arrayBuffer()
  },
}

/** Does random actions, several at a time. Calls `onAction` before each. */
async function work(shop: Shop, count: number, onAction: (done: number) => void): Promise<void> {
  // More files are added than removed, so that many are there before the backup and after it.
  const names = [
    'upload',
    'upload',
    'sell',
    'sell',
    'sell',
    'replace',
    'trash',
    'remove',
    'order',
    'order',
    'download',
  ] as const
  let done = 0
  const client = async () => {
    while (done < count) {
      onAction(done)
      done += 1
      const name = shop.random.pick(names)
      const staying = [...shop.assets.values()].filter(({ isLeaving }) => !isLeaving)
      const asset = staying[shop.random.between(0, Math.max(1, staying.length))]
      await ACTS[name]?.(shop, asset)
      shop.counts[name] = (shop.counts[name] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
}

async function eventsOf(service: TestService): Promise<Event[]> {
  const events: Event[] = []
  for (let after = 0; ; ) {
    const path = `${API}/events?limit=1000&after=${after}`
    const { body } = await callJson(service.baseUrl + path, { method: 'GET' })
    events.push(...body.data)
    if (!body.meta.has_more) return events
    after = body.meta.next_after
  }
}

/** The path of the download page in a mail. */
function linkIn({ raw }: ReceivedMail): string {
  const text = raw.replaceAll('=\r\n', '').replaceAll('=3D', '=')
  return /\/d\/[\w-]{32}/.exec(text)?.[0] ?? assert.fail(raw)
}

async function anEmptyDeployment(t: TestContext, kind: 'own' | 'embedded'): Promise<Deployment> {
  if (kind === 'own') return aDeployment(t)
  const folder = await aFolder(t)
  return { folder, settings: { STOWAGE_DATA: folder }, backdoor: undefined as never }
}

/** Nothing of the service is left. */
async function destroy({ folder }: Deployment, service: TestService): Promise<void> {
  const { storage } = service.engines
  const objects = await Array.fromAsync(storage.listObjects())
  await Promise.all(objects.map(({ key }) => storage.removeObject(key)))
  await service.close()
  await rm(folder, { recursive: true, force: true })
}

const CASES = isOnS3
  ? ([
      ['own', 'own'],
      ['own', 'embedded'],
      ['embedded', 'own'],
    ] as const)
  : ([['embedded', 'embedded']] as const)

const NAMES = { own: 'PostgreSQL and S3', embedded: 'SQLite and disk' }

for (const [from, to] of CASES) {
  test(`a shop on ${NAMES[from]} that is lost during its work is restored from its backup on ${NAMES[to]}`, async (t) => {
    const seed = seedOf('DRILL_SEED')
    t.diagnostic(`DRILL_SEED=${seed} repeats the random choices`)
    const mailServer = await aMailServer(t)
    const receiver = await aWebhookReceiver(t)
    const source = await anEmptyDeployment(t, from)
    const settings = { ...SETTINGS, ...mailSettings(mailServer), STOWAGE_MAIL_RATE: '1000' }
    const service = await aService(t, settings, source)
    const shop: Shop = {
      service,
      random: aRandom(seed),
      assets: new Map(),
      orders: new Map(),
      counts: {},
    }
    const products = PRODUCTS.map((id) => ({ product_id: id, variant_id: id, name: `P${id}` }))
    await call(shop, 'PUT', '/products', { products })
    const webhook = await call(shop, 'POST', '/webhooks', { url: receiver.url })
    assert.equal(webhook.status, 201)
    const { id } = webhook.body.data
    const succeeded = async () => {
      const all = await service.engines.database.listAllDeliveries(id, undefined, 10_000)
      return all.flatMap((one) => (one.status === 'succeeded' ? [one.id] : []))
    }

    // The backup starts in the middle of the work, and the loss comes after more of it.
    const folder = join(await aFolder(t), 'backup')
    let running: ReturnType<typeof backup> | undefined
    let known: { assets: string[]; mails: ReceivedMail[] } | undefined
    /** Those of the known assets that nobody had removed when the backup ended: they were there at its moment. */
    let kept: Promise<string[]> | undefined
    const events = () => eventsOf(service)
    let reading: Promise<[Event[], string[]]> | undefined
    await work(shop, ACTIONS, (done) => {
      if (done === ACTIONS / 3) reading = Promise.all([events(), succeeded()])
      if (done !== ACTIONS / 2) return
      const staying = [...shop.assets.values()].filter(({ isLeaving }) => !isLeaving)
      known = { assets: staying.map(({ id }) => id), mails: [...mailServer.mails] }
      running = backup(configOf({ ...settings, ...source.settings }), {
        folder,
        objects: true,
        copy: false,
        keep: 7,
        adopt: false,
        version: 'test',
        onProgress: () => {},
      })
      const isStaying = (id: string) => shop.assets.get(id)?.isLeaving === false
      kept = running.then(() => known?.assets.filter(isStaying) ?? [])
    })
    assert.ok(running && known && kept && reading)
    const summary = await running
    assert.deepEqual(summary.damaged, [])
    const [readEvents, deliveredBefore] = await reading
    const readBefore = readEvents.at(-1)
    // Until the loss, the service goes on: its mails and deliveries arrive.
    await work(shop, ACTIONS / 4, () => {})
    await until('all mails are sent', () => mailServer.mails.length >= shop.orders.size, 60_000)
    const lostEvents = await events()
    const sentMails = [...mailServer.mails]
    const lastId = lostEvents.at(-1)?.id
    const isLastDelivered = () => receiver.events().some((event) => event.id === lastId)
    await until('the last event is delivered', isLastDelivered, 60_000)
    await destroy(source, service)
    const delivered = receiver.received.map(({ headers }) => headers['webhook-id'])
    receiver.received.length = 0

    assert.deepEqual((await check(folder, () => {})).problems, [])
    const target = await anEmptyDeployment(t, to)
    const restored = await restore(configOf({ ...settings, ...target.settings }), {
      folder,
      generation: undefined,
      inPlace: false,
      verify: true,
      onProgress: () => {},
    })
    assert.deepEqual(restored.damaged, [])
    const after = await aService(t, settings, target)
    const now = await eventsOf(after)
    const state = await checkAssets(after, shop, await kept)
    const links = await checkLinks(after, known.mails)

    // Readers continue after the last event that they have read; those that have read later ones are told so.
    const shared = lostEvents.slice(0, now.length).map(({ id, type }) => [id, type])
    assert.deepEqual(
      now.slice(0, shared.length).map(({ id, type }) => [id, type]),
      shared,
    )
    assert.ok(readBefore)
    const page = await after.call('GET', `${API}/events?after=${readBefore.id}&limit=1`)
    assert.equal(page.status, 200)
    const reset = await after.call('GET', `${API}/events?after=${lostEvents.at(-1)?.id}`)
    assert.deepEqual([reset.status, reset.body.code], [410, 'events_reset'])

    // Each event of the backup reaches the webhook, and a delivery that had succeeded is not repeated.
    const pendingOf = async () =>
      (await after.call('GET', `${API}/webhooks/${id}`)).body.data.pending
    await until('nothing is pending', async () => (await pendingOf()) === 0, 60_000)
    const again = receiver.received.map(({ headers }) => headers['webhook-id'])
    assert.equal(new Set(again).size, again.length)
    const repeated = again.filter((one) => delivered.includes(one))
    assert.deepEqual(
      again.filter((one) => deliveredBefore.includes(String(one))),
      [],
    )

    // Work continues, and nobody who had a mail gets it again.
    const later: Shop = { ...shop, service: after, orders: new Map(), counts: {} }
    await work(later, 20, () => {})
    const first = receiver.received.length
    await call(later, 'POST', '/assets/store', { filename: 'l', url: 'https://example.com' })
    await until('a new event is delivered', () => receiver.received.length > first, 60_000)
    const expected = sentMails.length + later.orders.size
    await until('the new mails are sent', () => mailServer.mails.length >= expected, 60_000)
    const addresses = mailServer.mails.flatMap((mail) => mail.to)
    assert.equal(new Set(addresses).size, addresses.length, 'an address got two mails')
    assert.equal(mailServer.mails.length, expected)

    const mails = `${known.mails.length} mails before the backup, ${sentMails.length} before the loss`
    t.diagnostic(
      `${JSON.stringify(shop.counts)}; ${state.assets} assets restored, ${state.ready} were ready before the backup; ${mails}, ${links} files by their links; deliveries: ${delivered.length} before the loss, ${repeated.length} repeated`,
    )
  })
}

/** Every restored asset is whole, and those that were ready when the backup began are there. */
async function checkAssets(service: TestService, shop: Shop, ready: string[]) {
  const { body } = await service.call('GET', `${API}/assets?limit=1000`)
  const assets: Asset[] = body.data
  for (const { id, version, bytes } of assets) {
    const sent = shop.assets.get(id)?.sent.get(version)
    assert.ok(sent, `${id} has the version ${version}, which nobody sent`)
    assert.equal(bytes, sent.size)
    const response = await fetch(`${service.baseUrl}${API}/assets/${id}/download`)
    assert.equal(response.status, 200, `${id}: ${response.status}`)
    const content = Buffer.from(await response.arrayBuffer())
    assert.ok(content.equals(someBytes(sent.size, sent.seed)), `${id} has other bytes`)
  }
  const ids = new Set(assets.map(({ id }) => id))
  for (const id of ready)
    assert.ok(ids.has(id), `${id} was ready before the backup, and is missing`)
  assert.ok(
    ready.length >= 5,
    `only ${ready.length} assets were ready before the backup and stayed`,
  )
  return { assets: assets.length, ready: ready.length }
}

/** The links in mails that buyers got before the backup open their pages, with files that can be downloaded. */
async function checkLinks(service: TestService, mails: ReceivedMail[]): Promise<number> {
  assert.ok(mails.length > 0)
  let files = 0
  for (const mail of mails) {
    const page = service.baseUrl + linkIn(mail)
    const response = await fetch(page)
    assert.equal(response.status, 200, page)
    const [, form] = /action="([^"]*\/d\/[^"]+)"/.exec(await response.text()) ?? []
    if (form === undefined) continue
    const started = await fetch(new URL(form, page), { method: 'POST' })
    assert.equal(started.status, 200, form)
    assert.ok((await started.arrayBuffer()).byteLength >= 0)
    files += 1
  }
  return files
}
