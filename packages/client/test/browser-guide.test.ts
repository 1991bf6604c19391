import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { missingForBrowser } from '@stowage/testing/browser/browser'
import { reusedPort } from '@stowage/testing/browser/shared-browser'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { someBytes } from '@stowage/testing/service/upload'
import type { Page } from 'playwright-core'
import { aClient } from './support/client.ts'
import { aGuidePage, type Backend, importBackend } from './support/guide.ts'

/* Runs in a shared browser. */

const NO_BROWSER = await missingForBrowser()
const BYTES = someBytes(25_000)

/** The requests of a page: their origins, and the beginnings of their keys. */
interface Traffic {
  origins: Set<string>
  keys: Set<string>
}

function watch(page: Page): Traffic {
  const traffic: Traffic = { origins: new Set(), keys: new Set() }
  page.on('request', (request) => {
    traffic.origins.add(new URL(request.url()).origin)
    const { authorization } = request.headers()
    if (authorization !== undefined)
      traffic.keys.add(authorization.slice(0, 'Bearer stowup_'.length))
  })
  return traffic
}

/** A way to upload that docs/browser.md describes: its name, and the routes of its backend by path. */
interface Way {
  name: string
  routesOf(backend: Backend): Record<string, Backend[string] | undefined>
}

async function uploadBy(t: TestContext, { name, routesOf }: Way) {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10000' })
  const { client } = await aClient(t, { baseUrl: service.baseUrl, apiKey: ADMIN_KEY })
  const product = { product_id: 632910392, variant_id: 1, name: 'Course' }
  await client.putProducts([product])
  const settings = {
    STOWAGE_URL: service.baseUrl,
    STOWAGE_API_KEY: ADMIN_KEY,
    PAGE_ORIGIN: `http://127.0.0.1:${await reusedPort()}`,
  }
  const backend = await importBackend(t, `backend-${name}.js`, settings)
  const routes = routesOf(backend)
  const page = await aGuidePage(t, { script: `page-${name}.js`, routes })
  const traffic = watch(page)
  const file = join(await aFolder(t), 'photo.png')
  await writeFile(file, BYTES)
  await page.locator('input').setInputFiles(file)
  const asset = await page.evaluate<{ id: string }>(
    'upload(document.querySelector("input").files[0])',
  )
  const stored = await (await client.download(asset.id)).arrayBuffer()
  assert.ok(Buffer.from(stored).equals(BYTES))
  const { filename, products } = await client.asset(asset.id, { with_products: true })
  assert.equal(filename, 'photo.png')
  const { origin } = new URL(page.url())
  const api = new URL(service.baseUrl).origin
  return { page, traffic, products, origin, api, client }
}

test('the guide’s upload token works in a page of another origin, and the file is attached', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { traffic, products, api } = await uploadBy(t, {
    name: 'token',
    routesOf: ({ createToken }) => ({ '/upload-token': createToken }),
  })
  assert.deepEqual(
    products?.map(({ product_id }) => product_id),
    [632910392],
  )
  assert.deepEqual([...traffic.keys], ['Bearer stowup_'])
  assert.ok(traffic.origins.has(api))
})

test('with the guide’s backend session, the page has no key and never calls the service', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, traffic, api } = await uploadBy(t, {
    name: 'session',
    routesOf: ({ start, proceed }) => ({ '/uploads/': proceed, '/uploads': start }),
  })
  assert.deepEqual([...traffic.keys], [])
  assert.ok(!traffic.origins.has(api))
  const ids = { id: crypto.randomUUID(), upload_id: crypto.randomUUID() }
  const status = await page.evaluate<number>(
    `fetch('/uploads/cancel', { method: 'POST', body: '${JSON.stringify(ids)}' }).then(({ status }) => status)`,
  )
  assert.equal(status, 404)
})

test('the guide’s proxy forwards uploads and nothing else', async (t) => {
  if (NO_BROWSER !== undefined) return skipUnlessCi(t, NO_BROWSER)
  const { page, traffic, api, client } = await uploadBy(t, {
    name: 'proxy',
    routesOf: ({ proxy }) => ({ '/stowage': proxy }),
  })
  assert.deepEqual([...traffic.keys], [])
  assert.ok(!traffic.origins.has(api))
  // A stream of unknown length changes the size of its upload.
  const streamed = await page.evaluate<{ bytes: number }>(
    'upload(new Response("streamed").body, { name: "stream.txt" })',
  )
  assert.equal(streamed.bytes, 'streamed'.length)
  const [asset] = await Array.fromAsync(client.assets())
  for (const [method, path] of [
    ['GET', '/assets'],
    ['GET', '/keys'],
    ['DELETE', `/assets/${asset?.id}`],
    ['POST', `/assets/${asset?.id}/attach`],
    ['GET', `/assets/${asset?.id}/download`],
  ]) {
    const url = `/stowage/api/v1${path}`
    const status = await page.evaluate<number>(
      `fetch('${url}', { method: '${method}' }).then(({ status }) => status)`,
    )
    assert.equal(status, 403, path)
  }
})
