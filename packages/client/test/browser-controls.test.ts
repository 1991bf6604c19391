import assert from 'node:assert/strict'
import { open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aPage } from './support/page.ts'
import { aProxiedService } from './support/proxied-service.ts'

/* Runs in a shared browser. */

const NO_BROWSER = await missingForBrowser()
const CHUNK = 200_000
const PARTS = 15
const PASSED = 5
/** Parts that are sent at the same time. */
const PARALLEL = 4
const BYTES = someBytes(PARTS * CHUNK)

/** The state of an upload in the page. */
interface Look {
  id?: string
  error?: { code: string; message: string }
  state: string
  partsDone: number
  problem?: string
}

/** A page whose upload stops after five parts, because the proxy blocks all further ones. */
async function aBlockedUpload(t: TestContext) {
  /** The numbers of the parts that were sent, in order. */
  const puts: string[] = []
  let isOpen = false
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const block: Fault = { kind: 'wait', until: released }
  const { baseUrl, api, storage } = await aProxiedService(t, {
    settings: {
      STOWAGE_AUTH: 'keys',
      STOWAGE_ADMIN_KEY: ADMIN_KEY,
      STOWAGE_CHUNK_SIZE: String(CHUNK),
    },
    storage({ method, url = '' }) {
      if (method !== 'PUT') return { kind: 'pass' }
      puts.push(/(\d+)\?/.exec(url)?.[1] ?? url)
      return puts.length > PASSED && !isOpen ? block : { kind: 'pass' }
    },
  })
  const path = join(await aFolder(t), 'film.mov')
  await writeFile(path, BYTES)
  const { client } = await aClient(t, { baseUrl, apiKey: ADMIN_KEY })
  const { page, choose, call } = await aPage(t, 'client.js')
  const look = async () => (await call<Look[]>('look'))[0] as Look
  const start = async () => {
    await choose(path)
    // If no request succeeds, the upload gives up soon.
    const retry = { firstMs: 20, longestMs: 20, giveUpAfterMs: 0 }
    await call('start', { baseUrl: api.url, apiKey: ADMIN_KEY, retry, parallel: PARALLEL })
  }
  await start()
  await until('five parts are stored', async () => (await look()).partsDone === PASSED)
  await until('the next ones are blocked', () => storage.waiting() === PARALLEL)
  return {
    page,
    path,
    call,
    client,
    look,
    start,
    /** Lets further parts pass. Blocked parts stay blocked. */
    passNewParts() {
      isOpen = true
    },
    /** Lets blocked parts pass, too. */
    release() {
      isOpen = true
      release()
    },
    /** The numbers of the stored parts. */
    stored: () => puts.slice(0, PASSED),
    /** The numbers of the parts that were sent after the first `before` ones. */
    sentSince: (before: number) => puts.slice(before),
    count: () => puts.length,
    async ended(): Promise<Look> {
      await until('the upload has ended', async () => {
        const { id, error } = await look()
        return (id ?? error) !== undefined
      })
      return look()
    },
    async assertStored(id = '') {
      const stored = await (await client.download(id)).arrayBuffer()
      assert.ok(Buffer.from(stored).equals(BYTES))
      assert.equal((await client.assets().page()).meta.total, 1)
      assert.equal((await client.account()).reserved, 0)
    },
  }
}

/** Each missing part was sent exactly once, and no stored part was sent again. */
function assertOnlyMissingSent(sent: string[], stored: string[]): void {
  const all = Array.from({ length: PARTS }, (_, index) => String(index + 1))
  const missing = all.filter((part) => !stored.includes(part))
  assert.equal(stored.length, PASSED)
  assert.deepEqual(sent.toSorted(), missing.toSorted())
}

test('after a reload, uploading the same file resumes: only missing parts are sent', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, passNewParts, start, ended, stored, sentSince, count, assertStored } =
    await aBlockedUpload(t)
  await page.reload()
  passNewParts()
  const before = count()
  await start()
  const { id } = await ended()
  assertOnlyMissingSent(sentSince(before), stored())
  await assertStored(id)
})

test('an upload in a browser can be paused and resumed', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { call, look, passNewParts, ended, stored, sentSince, count, assertStored } =
    await aBlockedUpload(t)
  await call('command', 'pause')
  await until('it is paused', async () => (await look()).state === 'paused')
  const before = count()
  passNewParts()
  await call('command', 'resume')
  const { id } = await ended()
  assertOnlyMissingSent(sentSince(before), stored())
  await assertStored(id)
})

test('a cancelled upload leaves nothing at the service', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { call, client, ended } = await aBlockedUpload(t)
  await call('command', 'cancel')
  assert.equal((await ended()).error?.code, 'cancelled')
  assert.equal((await client.account()).reserved, 0)
  assert.deepEqual(await call('unfinished'), [])
})

test('an upload survives being offline and continues automatically', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, look, release, ended, assertStored } = await aBlockedUpload(t)
  // Sets only this page offline, not the whole context: if another page of the context goes online first, Chromium
  // reports that this one is online, too.
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.enable')
  const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 }
  const setOffline = (offline: boolean) =>
    devtools.send('Network.emulateNetworkConditions', { offline, ...unlimited })
  await setOffline(true)
  release()
  await until(
    'the upload has lost its connection',
    async () => (await look()).problem === 'network',
  )
  // Long enough for the upload to give up, if being offline counted as a failure.
  const lostAt = Date.now()
  await until('it has been offline for a while', () => Date.now() - lostAt > 2_000)
  const { state, id: none } = await look()
  assert.deepEqual([state, none], ['sending', undefined])
  await setOffline(false)
  const { id, error } = await ended()
  assert.equal(error, undefined)
  await assertStored(id)
})

test('the state of an upload is saved again after the browser has closed its database', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, call, look } = await aBlockedUpload(t)
  const { length } = await call<unknown[]>('unfinished')
  assert.equal(length, 1)
  const devtools = await page.context().newCDPSession(page)
  const origin = new URL(page.url()).origin
  await devtools.send('Storage.clearDataForOrigin', { origin, storageTypes: 'indexeddb' })
  await until(
    'the saved state is deleted',
    async () => (await call<unknown[]>('unfinished')).length === 0,
  )
  await call('command', 'pause')
  await until('it is paused', async () => (await look()).state === 'paused')
  await call('command', 'resume')
  const isSaved = async () => (await call<unknown[]>('unfinished')).length === 1
  await until('the state is saved again', isSaved)
})

test('a file that is written to during its upload is refused, and nothing is stored', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { path, client, release, ended } = await aBlockedUpload(t)
  const file = await open(path, 'r+')
  await file.write('other', BYTES.length - CHUNK / 2)
  await file.close()
  release()
  assert.equal((await ended()).error?.code, 'file_changed')
  assert.equal((await client.assets().page()).meta.total, 0)
})

test('if a file has changed when it is chosen again, it is uploaded as a new one, without the parts sent earlier', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, path, client, release, start, ended } = await aBlockedUpload(t)
  await page.reload()
  release()
  const other = someBytes(BYTES.length, 2)
  await writeFile(path, other)
  await start()
  const { id = '' } = await ended()
  const stored = await (await client.download(id)).arrayBuffer()
  assert.ok(Buffer.from(stored).equals(other))
})
