import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Event, Order } from '@stowage/protocol'
import { aKeyedService, anAccount, callerWith } from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'
import { anOrder, aSoldFile, ORDERS, urlOf } from '../../support/orders.ts'

/* Runs on sqlite+disk and postgres+disk. */

test('an order is created, read by its ID or reference, changed and revoked', async (t) => {
  const service = await aService(t)
  const { call, baseUrl } = service
  await aSoldFile(service)
  const request = {
    reference: 'shop/1 é',
    order_number: '#1001',
    email: 'ada@example.com',
    lines: [{ product_id: 1, quantity: 2 }],
    max_downloads: 5,
    ordered_at: 1_769_851_800,
  }
  const created = await call('POST', ORDERS, request)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const order: Order = created.body.data
  const { id, url, created_at, updated_at, lines, ...facts } = order
  assert.deepEqual(facts, {
    order_number: '#1001',
    email_sent_at: null,
    ordered_at: 1_769_851_800,
    reference: 'shop/1 é',
    source: 'api',
    status: 'active',
    name: null,
    email: 'ada@example.com',
    locale: null,
    label: null,
    downloads: 0,
    max_downloads: 5,
    inline: false,
    more_requested: null,
    expires_at: null,
  })
  assert.equal(lines[0]?.product?.name, 'Sample pack')
  assert.match(url ?? '', new RegExp(`^${baseUrl}/d/[\\w-]{32}$`))
  const repeated = await call('POST', ORDERS, request)
  assert.deepEqual([repeated.status, repeated.body.data], [200, order])
  for (const key of [id, id.toUpperCase(), encodeURIComponent('shop/1 é')]) {
    assert.deepEqual((await call('GET', `${ORDERS}/${key}`)).body.data, order)
  }
  const changes = { max_downloads: null, held: true, expires_at: '2099-01-31', label: 'VIP' }
  const changed = await call('PATCH', `${ORDERS}/${id}`, changes)
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  const { data } = changed.body
  assert.deepEqual(
    [data.status, data.max_downloads, data.expires_at, data.label, data.url],
    ['held', null, '2099-01-31T00:00:00.000Z', 'VIP', url],
  )
  const list = await call('GET', `${ORDERS}?order_number=%231001&status=held&search=ada%20vip`)
  assert.deepEqual(
    list.body.data.map((one: Order) => one.id),
    [id],
  )
  assert.equal((await call('GET', `${ORDERS}?order_number=1001`)).body.meta.total, 0)
  assert.deepEqual((await call('DELETE', `${ORDERS}/${id}`)).body, { revoked: true })
  assert.deepEqual((await call('DELETE', `${ORDERS}/${id}`)).body, { revoked: true })
  assert.equal((await call('GET', `${ORDERS}/${id}`)).body.data.status, 'revoked')
  assert.equal((await call('GET', `${ORDERS}/unknown`)).status, 404)
  const events: Event[] = (await call('GET', `${API}/events?limit=1000`)).body.data
  const own = events.filter(({ type }) => type.startsWith('order.'))
  assert.deepEqual(
    own.map(({ type, actor }) => [type, actor.type]),
    [
      ['order.created', 'anonymous'],
      ['order.updated', 'anonymous'],
      ['order.revoked', 'anonymous'],
    ],
  )
  assert.ok(!JSON.stringify(events).includes(urlOf(order).split('/').at(-1) ?? ''))
})

test('orders are sorted by their number and time, also after a cursor', async (t) => {
  const service = await aService(t)
  await aSoldFile(service)
  const orders = [
    { order_number: '#10', ordered_at: 300 },
    { order_number: '#9', ordered_at: 100 },
    { ordered_at: 200 },
  ]
  for (const order of orders) await anOrder(service, order)
  const list = async (query: string) => {
    const times: number[] = []
    for (let after = ''; ; ) {
      const { status, body } = await service.call('GET', `${ORDERS}?limit=1${query}${after}`)
      assert.equal(status, 200, JSON.stringify(body))
      times.push(...body.data.map((order: Order) => order.ordered_at))
      if (body.meta.next_after === null) return times
      after = `&after=${body.meta.next_after}`
    }
  }
  assert.deepEqual(await list('&sort=order_number'), [200, 100, 300])
  assert.deepEqual(await list('&sort=-order_number'), [300, 100, 200])
  assert.deepEqual(await list('&sort=ordered_at'), [100, 200, 300])
  assert.deepEqual(await list('&sort=-ordered_at'), [300, 200, 100])
  assert.deepEqual(await list('&sort=created_at'), [300, 100, 200])
  assert.deepEqual(await list(''), [200, 100, 300])
  assert.equal((await service.call('GET', `${ORDERS}?sort=name`)).status, 422)
  const { body } = await service.call('GET', `${ORDERS}?limit=1&sort=ordered_at`)
  const other = await service.call('GET', `${ORDERS}?after=${body.meta.next_after}`)
  assert.deepEqual([other.status, Object.keys(other.body.errors)], [422, ['after']])
})

test('assets are attached to an order by both generations of the calls', async (t) => {
  const service = await aService(t)
  const { call } = service
  await aSoldFile(service)
  const links = [await storeLink(service), await storeLink(service)].map(({ id }) => id)
  const order = await anOrder(service)
  const first = await call('POST', `${ORDERS}/${order.id}/attach`, { assets: [links[0]] })
  assert.deepEqual(
    [first.status, first.body.attached, first.body.asset_ids],
    [201, true, [links[0]]],
  )
  const second = await call('POST', `${ORDERS}/${order.id}/attach`, { asset_ids: links })
  assert.deepEqual(
    second.body.data.assets.map(({ id }: { id: string }) => id),
    links,
  )
  const list = await call('GET', `${ORDERS}?with_assets=true`)
  assert.equal(list.body.data[0].assets.length, 2)
  assert.equal((await call('GET', ORDERS)).body.data[0].assets, undefined)
  const detached = await call('POST', `${ORDERS}/${order.id}/detach`, { asset_ids: [links[0]] })
  assert.deepEqual(
    [detached.status, detached.body.detached, detached.body.data.assets.length],
    [200, true, 1],
  )
  const unknown = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'
  const refused = await call('POST', `${ORDERS}/${order.id}/attach`, { assets: [unknown] })
  assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['assets']])
  assert.match(refused.body.message, new RegExp(unknown))
  assert.equal((await call('POST', `${ORDERS}/${order.id}/attach`, {})).status, 422)
})

test('invalid orders are refused with the fields', async (t) => {
  const service = await aService(t)
  await aSoldFile(service)
  const line = { product_id: 1 }
  const cases: [object, string][] = [
    [{}, 'lines'],
    [{ lines: [] }, 'lines'],
    [{ lines: [{ product_id: 9 }] }, 'lines.0.product_id'],
    [{ lines: [line, { ...line, variant_id: 9 }] }, 'lines.1.product_id'],
    [{ lines: [{ ...line, quantity: 0 }] }, 'lines.0.quantity'],
    [{ lines: [{ ...line, refunded_quantity: 2 }] }, 'lines.0.refunded_quantity'],
    [{ lines: [line], email: 'no address' }, 'email'],
    [{ lines: [line], email: 'a@b\r\nBcc: c@d' }, 'email'],
    [{ lines: [line], max_downloads: 0 }, 'max_downloads'],
    [{ lines: [line], expires_at: '2026-02-31' }, 'expires_at'],
    [{ lines: [line], expires_at: 'soon' }, 'expires_at'],
    [{ lines: [line], expires_at: '0000-12-31' }, 'expires_at'],
    [{ lines: [line], expires_at: '0001-01-01T00:00:00+01:00' }, 'expires_at'],
    [{ lines: [line], ordered_at: '9999-12-31T23:59:59-01:00' }, 'ordered_at'],
    [{ lines: [line], ordered_at: -1 }, 'ordered_at'],
    [{ lines: [line], locale: 'x' }, 'locale'],
    [{ lines: [line], max_download: 1 }, 'max_download'],
    [{ assets: ['01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'] }, 'assets'],
    [{ lines: Array(101).fill(line) }, 'lines'],
  ]
  for (const [body, field] of cases) {
    const refused = await service.call('POST', ORDERS, body)
    assert.equal(refused.status, 422, JSON.stringify([body, refused.body]))
    assert.deepEqual(Object.keys(refused.body.errors), [field])
  }
  assert.equal((await service.call('GET', ORDERS)).body.meta.total, 0)
  for (const method of ['GET', 'DELETE']) {
    assert.equal((await service.call(method, `${ORDERS}/1001%00`)).status, 404)
  }
})

test('an order of another account does not exist, and an Idempotency-Key creates one order', async (t) => {
  const service = await aKeyedService(t)
  const ours = await anAccount(service, { name: 'default' })
  const theirs = await anAccount(service, { name: 'other' })
  const link = { filename: 'a', url: 'https://example.com/a' }
  const { body } = await ours.call('POST', `${API}/assets/store`, link)
  const request = { reference: 'r', assets: [body.data.id] }
  const key = { 'Idempotency-Key': 'one' }
  const first = await ours.call('POST', ORDERS, { assets: [body.data.id] }, key)
  const again = await ours.call('POST', ORDERS, { assets: [body.data.id] }, key)
  assert.deepEqual([first.status, again.status], [201, 201])
  assert.equal(again.headers.get('idempotency-replayed'), 'true')
  assert.deepEqual(first.body, again.body)
  const reused = await ours.call('POST', ORDERS, request, key)
  assert.deepEqual([reused.status, reused.body.code], [409, 'idempotency_key_reused'])
  const created = await ours.call('POST', ORDERS, request)
  assert.equal(created.status, 201)
  assert.equal((await theirs.call('GET', `${ORDERS}/r`)).status, 404)
  assert.equal((await theirs.call('POST', ORDERS, request)).status, 422)
  const reader = callerWith(service.baseUrl, ours.keys.read.secret)
  for (const path of [`${ORDERS}/r`, `${ORDERS}/r?with_assets=true`]) {
    assert.ok((await ours.call('GET', path)).body.data.url)
    const read = await reader('GET', path)
    assert.deepEqual([read.status, read.body.data.url], [200, null])
  }
  const urls = (await reader('GET', ORDERS)).body.data.map(({ url }: Order) => url)
  assert.deepEqual(urls, [null, null])
  assert.equal((await reader('POST', ORDERS, request)).status, 403)
})

test('the branding of an account keeps fields that are not given', async (t) => {
  const { call } = await aService(t)
  const path = `${API}/account/branding`
  const empty = {
    name: null,
    logo: null,
    color: null,
    help_text: null,
    help_email: null,
    max_downloads: null,
  }
  assert.deepEqual((await call('GET', path)).body.data, empty)
  await call('PUT', path, { name: 'Sounds', color: '#0B7285' })
  const changed = await call('PUT', path, { help_email: 'help@example.com', name: null })
  const expected = { ...empty, color: '#0b7285', help_email: 'help@example.com' }
  assert.deepEqual(changed.body.data, expected)
  assert.deepEqual((await call('GET', path)).body.data, expected)
  for (const body of [
    { color: 'red' },
    { logo: '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f' },
    { help_email: 'x' },
  ]) {
    const refused = await call('PUT', path, body)
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, Object.keys(body)])
  }
})
