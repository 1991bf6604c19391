import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Order } from '@stowage/protocol'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { anEmbeddedService, callJson } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { readConfig } from '../../src/config/config.ts'
import { move } from '../../src/operator/move.ts'
import { press } from '../support/orders.ts'

test('the database has no URL of a download page, and a moved service keeps the URLs and the counters', async (t) => {
  const from = await aFolder(t)
  const source = await anEmbeddedService(t, { STOWAGE_DATA: from })
  const send = (base: string, method: string, path: string, body?: unknown) =>
    callJson(base + API + path, { method, body })
  const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
  const { body: asset } = await send(source.baseUrl, 'POST', '/assets/store', link)
  const products = [{ product_id: 1, variant_id: 1, name: 'Pack' }]
  await send(source.baseUrl, 'PUT', '/products', { products })
  await send(source.baseUrl, 'POST', `/assets/${asset.data.id}/attach`, { product_ids: [1] })
  await send(source.baseUrl, 'PUT', '/account/branding', { name: 'Sounds' })
  const request = {
    reference: 'r',
    lines: [{ product_id: 1 }],
    assets: [asset.data.id],
    max_downloads: 2,
  }
  const order: Order = (await send(source.baseUrl, 'POST', '/orders', request)).body.data
  const opened = await press(order, asset.data.id)
  const token = order.url?.split('/').at(-1) ?? assert.fail()
  const fileToken = opened.headers.get('location')?.split('/').at(-1) ?? assert.fail()
  const totals = (await send(source.baseUrl, 'GET', '/account/downloads?by=asset')).body.data
  await source.close()
  for (const file of globSync('stowage.db*', { cwd: from })) {
    const content = readFileSync(join(from, file))
    for (const secret of [token, fileToken]) assert.ok(!content.includes(secret), file)
  }

  const to = await aFolder(t)
  const settings = { STOWAGE_DATA: to, STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0' }
  const options = { ahead: false, verify: false, skipDamaged: false, onProgress: () => {} }
  const config = readConfig(settings)
  await move(config, { ...options, from })
  await move(config, { ...options, from })
  const target = await anEmbeddedService(t, { STOWAGE_DATA: to })
  const moved: Order = (await send(target.baseUrl, 'GET', '/orders/r')).body.data
  const path = (url: string | null) => url?.replace(/^http:\/\/[^/]+/, '')
  assert.deepEqual(
    { ...moved, url: path(moved.url), lines: [] },
    { ...order, url: path(order.url), lines: [], downloads: 1 },
  )
  const page = await fetch(`${target.baseUrl}/d/${token}`)
  assert.match(await page.text(), /Sounds[\s\S]*Pack[\s\S]*3 downloads left/)
  assert.equal((await press(moved, asset.data.id)).status, 303)
  const log = await send(target.baseUrl, 'GET', '/orders/r/downloads')
  assert.deepEqual([log.body.meta.total, log.body.data[0].counted], [1, 1])
  const copied = await send(target.baseUrl, 'GET', '/account/downloads?by=asset')
  assert.deepEqual(copied.body.data, totals)
})
