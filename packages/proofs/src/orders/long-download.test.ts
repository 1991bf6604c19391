import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import http, { type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import type { UploadSession } from '@stowage/protocol'
import { CHROMIUM, FLAGS, missingForBrowser } from '@stowage/testing/browser/browser'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { freePort, listenOnFreePort } from '@stowage/testing/machine/ports'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { aService, callJson, type TestService } from '@stowage/testing/service/service'
import { API, complete, putPart, someBytes } from '@stowage/testing/service/upload'
import { chromium } from 'playwright-core'
import { moveClock } from './moved-clock.ts'

/*
 * Download 2 GB in 400 ranges:
 *
 *     LONG_BYTES=2000000000 LONG_RANGES=400 TEST_TIMEOUT_MS=3600000 npx node --test \
 *       packages/proofs/src/orders/long-download.test.ts
 */
const BYTES = Number(process.env.LONG_BYTES ?? 40_000_000)
const RANGES = Number(process.env.LONG_RANGES ?? 100)
const HOURS = 20
const NAME = 'film.zip'
const CHUNK = 20_000_000
const HOUR_MS = 3_600_000

const run = promisify(execFile)
/** Ignores settings and proxies of the machine. */
const CURL = ['--disable', '--noproxy', '*', '--silent', '--show-error', '--location']
const WGET = ['--no-config', '--no-proxy', '--no-verbose', '--waitretry=0', '--tries=0']

test('curl downloads a file in hundreds of ranges over 20 hours: 1 download counts', async (t) => {
  const sale = await aSale(t, RANGES)
  const missing = await ensureInstalled('curl')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const file = join(await aFolder(t), 'file')
  const url = await sale.press()
  const fetchRest = () => run('curl', [...CURL, '--continue-at', '-', '--output', file, url])
  let attempts = 1
  // curl continues where the last attempt ended. Only the last one is whole.
  for (; !(await fetchRest().then(Boolean, () => false)); attempts += 1)
    assert.ok(attempts <= RANGES)
  assert.equal(attempts, RANGES)
  await sale.checkFile(file)
  await sale.checkEnd(url)
})

test('wget downloads a file in hundreds of ranges over 20 hours: 1 download counts', async (t) => {
  const sale = await aSale(t, RANGES)
  const missing = await ensureInstalled('wget')
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const file = join(await aFolder(t), 'file')
  const url = await sale.press()
  // One process retries by itself, at the URL that the redirects have led to.
  await run('wget', [...WGET, '--continue', '--output-document', file, url], { maxBuffer: 1e8 })
  await sale.checkFile(file)
  await sale.checkEnd(url)
})

test('Chromium resumes a download over 20 hours, by itself and at the press of a button: 1 download counts', async (t) => {
  const missing = await missingForBrowser(CHROMIUM)
  if (missing !== undefined) return skipUnlessCi(t, missing)
  // Chromium gives up after six broken connections, and waits for its user.
  const sale = await aSale(t, 20)
  const folder = await aFolder(t)
  const profile = join(folder, 'profile')
  const options = { executablePath: CHROMIUM, args: FLAGS }
  const context = await chromium.launchPersistentContext(profile, options)
  cleanUp(t, () => context.close())
  const page = await context.newPage()
  const session = await context.newCDPSession(page)
  const behavior = { behavior: 'allow', downloadPath: folder } as const
  await session.send('Browser.setDownloadBehavior', behavior)
  await page.goto(sale.page)
  await page.locator('form button').click()
  const downloads = await context.newPage()
  await downloads.goto('chrome://downloads')
  const file = join(folder, NAME)
  const resume = downloads.locator('#pause-or-resume')
  let presses = 0
  for (; ; presses += 1) {
    await until('the download is whole or broken', async () => {
      return existsSync(file) || (await resume.textContent())?.trim() === 'Resume'
    })
    if (existsSync(file)) break
    await resume.evaluate((button: HTMLElement) => button.click())
    await until('it continues', async () => (await resume.textContent())?.trim() !== 'Resume')
  }
  t.diagnostic(`${presses} presses of "Resume"`)
  assert.ok(presses > 0)
  await sale.checkFile(file)
  await sale.checkEnd(await sale.press())
})

/** A file of an order with one download, in a service whose clock moves. */
interface Sale {
  /** The download page. */
  page: string
  /** The URL of the download. */
  press(): Promise<string>
  /** Compares the file with the one that was sold. */
  checkFile(path: string): Promise<void>
  /** One download has counted; after 24 hours its URL has ended. */
  checkEnd(url: string): Promise<void>
}

/** Each response of the storage is cut after a range, and then the clock moves. */
async function aSale(t: TestContext, ranges: number): Promise<Sale> {
  const storage = await aCuttingProxy(t, Math.ceil(BYTES / ranges))
  let extraMs = 0
  moveClock(t, () => extraMs + (storage.ranges() * HOURS * HOUR_MS) / ranges)
  const service = await aService(t, { ...storage.settings, STOWAGE_CHUNK_SIZE: String(CHUNK) })
  const { id, hash } = await upload(service)
  const request = { assets: [id], max_downloads: 1 }
  const { body } = await service.call('POST', `${API}/orders`, request)
  const { id: order, url: page } = body.data
  const read = async (path: string) =>
    (await service.call('GET', `${API}/orders/${order}/${path}`)).body.data
  return {
    page,
    async press() {
      const pressed = await fetch(`${page}/${id}`, { method: 'POST', redirect: 'manual' })
      assert.equal(pressed.status, 303)
      return pressed.headers.get('location') ?? assert.fail()
    },
    async checkFile(path) {
      const actual = createHash('sha256')
      await pipeline(createReadStream(path), actual)
      await rm(path)
      assert.equal(actual.digest('hex'), hash.digest('hex'))
    },
    async checkEnd(url) {
      assert.ok(storage.ranges() >= ranges - 1, `${storage.ranges()} ranges`)
      const [{ downloaded }] = await read('files')
      const [{ starts, counted }, ...others] = await read('downloads')
      assert.deepEqual([downloaded, starts, counted, others.length], [1, 1, 1, 0])
      extraMs += 24 * HOUR_MS
      const range = { headers: { Range: 'bytes=1-' }, redirect: 'manual' } as const
      assert.equal((await fetch(url, range)).status, 410)
      const again = await fetch(`${page}/${id}`, { method: 'POST', redirect: 'manual' })
      assert.equal(again.status, 409)
    },
  }
}

async function upload({ baseUrl }: TestService): Promise<{ id: string; hash: Hash }> {
  const body = { name: NAME, size: BYTES, mime: 'application/zip' }
  const created = await callJson(`${baseUrl}${API}/assets/signed`, { method: 'POST', body })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const session: UploadSession = created.body
  assert.equal(session.urls.at(-1)?.end, BYTES, 'every part has a URL')
  const hash = createHash('sha256')
  for (const { part, start, end, url } of session.urls) {
    const bytes = someBytes(end - start, part)
    hash.update(bytes)
    assert.equal((await putPart(url, bytes)).status, 200)
  }
  assert.equal((await complete(baseUrl, session)).status, 200)
  return { id: session.id, hash }
}

/** An HTTP proxy in front of the disk storage, which breaks the connection after so many bytes of a download. */
async function aCuttingProxy(t: TestContext, bytes: number) {
  const port = await freePort()
  const agent = new http.Agent({ keepAlive: true })
  let ranges = 0
  const server = http.createServer((request, response) => {
    const { method, url, headers } = request
    const onward = http.request({ port, host: '127.0.0.1', method, path: url, headers, agent })
    onward.on('error', () => response.destroy())
    onward.on('response', (upstream: IncomingMessage) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers)
      let left = method === 'GET' ? bytes : Number.POSITIVE_INFINITY
      upstream.on('data', (chunk: Buffer) => {
        if (left === 0) return
        const some = chunk.subarray(0, left)
        left -= some.length
        // An orderly end before the announced length.
        response.write(some, () => left === 0 && response.socket?.end())
      })
      upstream.on('end', () => left > 0 && response.end())
      upstream.on('error', () => response.destroy())
    })
    response.on('close', () => {
      if (method === 'GET') ranges += 1
      onward.destroy()
    })
    request.on('error', () => onward.destroy())
    request.pipe(onward)
  })
  const ownPort = await listenOnFreePort(server)
  cleanUp(t, () => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return {
    ranges: () => ranges,
    settings: {
      STOWAGE_STORAGE_PORT: String(port),
      STOWAGE_STORAGE_URL: `http://127.0.0.1:${ownPort}`,
    },
  }
}
