import assert from 'node:assert/strict'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { whyNoBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/skip-unless-ci'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aPage } from './support/page.ts'
import { aProxiedService } from './support/proxied-service.ts'

const NO_BROWSER = await whyNoBrowser()
const CHUNK = 200_000
const PARTS = 15
const PASSED = 5
/** Parts that are on their way at once. */
const PARALLEL = 4
const BYTES = someBytes(PARTS * CHUNK)

interface Look {
  id?: string
  error?: { code: string; message: string }
  state: string
  partsDone: number
  problem?: string
}

/** A page whose upload stands still after five parts. */
async function aHeldUpload(t: TestContext) {
  /** The parts that came, by their numbers. */
  const puts: string[] = []
  let isOpen = false
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const hold: Fault = { kind: 'wait', until: released }
  const { baseUrl, api, storage } = await aProxiedService(t, {
    settings: {
      STOWAGE_AUTH: 'keys',
      STOWAGE_ADMIN_KEY: ADMIN_KEY,
      STOWAGE_CHUNK_SIZE: String(CHUNK),
    },
    storage({ method, url = '' }) {
      if (method !== 'PUT') return { kind: 'pass' }
      puts.push(/(\d+)\?/.exec(url)?.[1] ?? url)
      return puts.length > PASSED && !isOpen ? hold : { kind: 'pass' }
    },
  })
  const path = join(await aFolder(t), 'film.mov')
  await writeFile(path, BYTES)
  const { client } = await aClient(t, { baseUrl, apiKey: ADMIN_KEY })
  const { page, choose, call } = await aPage(t, 'client.js')
  const look = async () => (await call<Look[]>('look'))[0] as Look
  const start = async () => {
    await choose(path)
    // What is tried again while nothing works ends it soon.
    const retry = { firstMs: 20, longestMs: 20, giveUpAfterMs: 0 }
    await call('start', { baseUrl: api.url, apiKey: ADMIN_KEY, retry, parallel: PARALLEL })
  }
  await start()
  await until('five parts have arrived', async () => (await look()).partsDone === PASSED)
  await until('the next ones are held', () => storage.waiting() === PARALLEL)
  return {
    page,
    path,
    call,
    client,
    look,
    start,
    /** From now on parts pass; those that stand still go on doing so. */
    openLine() {
      isOpen = true
    },
    /** And they pass too. */
    release() {
      isOpen = true
      release()
    },
    /** Those that the storage has answered, and those that came since it goes on. */
    held: () => puts.slice(0, PASSED),
    sentSince: (before: number) => puts.slice(before),
    count: () => puts.length,
    async ended(): Promise<Look> {
      await until('it is over', async () => {
        const { id, error } = await look()
        return (id ?? error) !== undefined
      })
      return look()
    },
    async assertArrived(id = '') {
      const arrived = await (await client.download(id)).arrayBuffer()
      assert.ok(Buffer.from(arrived).equals(BYTES))
      assert.equal((await client.assets().page()).meta.total, 1)
      assert.equal((await client.account()).reserved, 0)
    },
  }
}

/** Each part that the storage lacked was sent, once, and none of those that it held. */
function assertMissing(sent: string[], held: string[]): void {
  const all = Array.from({ length: PARTS }, (_, index) => String(index + 1))
  const missing = all.filter((part) => !held.includes(part))
  assert.equal(held.length, PASSED)
  assert.deepEqual(sent.toSorted(), missing.toSorted())
}

test('after a reload, the same file goes on: only missing parts are sent', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, openLine, start, ended, held, sentSince, count, assertArrived } =
    await aHeldUpload(t)
  await page.reload()
  openLine()
  const before = count()
  await start()
  const { id } = await ended()
  assertMissing(sentSince(before), held())
  await assertArrived(id)
})

test('a paused upload stands still in a browser, and goes on', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { call, look, openLine, ended, held, sentSince, count, assertArrived } =
    await aHeldUpload(t)
  await call('command', 'pause')
  await until('it is paused', async () => (await look()).state === 'paused')
  const before = count()
  openLine()
  await call('command', 'resume')
  const { id } = await ended()
  assertMissing(sentSince(before), held())
  await assertArrived(id)
})

test('a cancelled upload leaves nothing', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { call, client, ended } = await aHeldUpload(t)
  await call('command', 'cancel')
  assert.equal((await ended()).error?.code, 'cancelled')
  assert.equal((await client.account()).reserved, 0)
  assert.deepEqual(await call('unfinished'), [])
})

test('an upload outlives a time offline, and goes on by itself', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, look, release, ended, assertArrived } = await aHeldUpload(t)
  await page.context().setOffline(true)
  release()
  await until('it has noticed', async () => (await look()).problem === 'network')
  // Long enough to lose all patience in, if it were lost.
  const noticedAt = Date.now()
  await until('it is offline for a while', () => Date.now() - noticedAt > 2_000)
  const { state, id: none } = await look()
  assert.deepEqual([state, none], ['sending', undefined])
  await page.context().setOffline(false)
  const { id } = await ended()
  await assertArrived(id)
})

test('an upload is remembered also after the browser has closed its database', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, call, look } = await aHeldUpload(t)
  const { length } = await call<unknown[]>('unfinished')
  assert.equal(length, 1)
  const devtools = await page.context().newCDPSession(page)
  const origin = new URL(page.url()).origin
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
  await until('it is forgotten', async () => (await call<unknown[]>('unfinished')).length === 0)
  await call('command', 'pause')
  await until('it is paused', async () => (await look()).state === 'paused')
  await call('command', 'resume')
  const isThere = async () => (await call<unknown[]>('unfinished')).length === 1
  await until('it is remembered', isThere)
})

test('a file that is written to while it is sent is refused, and stored nowhere', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { path, client, release, ended } = await aHeldUpload(t)
  const file = await open(path, 'r+')
  await file.write('other', BYTES.length - CHUNK / 2)
  await file.close()
  release()
  assert.equal((await ended()).error?.code, 'file_changed')
  assert.equal((await client.assets().page()).meta.total, 0)
})

test('a file that differs after a reload is not mixed with what was sent of it', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, path, client, release, start, ended } = await aHeldUpload(t)
  await page.reload()
  release()
  const other = someBytes(BYTES.length, 2)
  await writeFile(path, other)
  await start()
  const { id = '' } = await ended()
  const arrived = await (await client.download(id)).arrayBuffer()
  assert.ok(Buffer.from(arrived).equals(other))
})
