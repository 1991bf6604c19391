import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { attach, putProducts, storeManyLinks } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

test('all assets that match a filter are changed, and the response undoes exactly that', async (t) => {
  const service = await aService(t)
  const [one, two] = await putProducts(service, [
    { product_id: 1, variant_id: 1, name: 'One' },
    { product_id: 2, variant_id: 2, name: 'Two' },
  ])
  await storeManyLinks(service, 30)
  const bulk = (body: object) => service.call('POST', `${API}/assets/bulk`, body)
  const count = async (query: string) =>
    (await service.call('GET', `${API}/assets?exact_total=true&${query}`)).body.meta.total
  const all = (await service.call('GET', `${API}/assets?limit=100`)).body.data
  const total: number = all.length
  await attach(service, all[0].id, { product_ids: [1] })
  const attached = await bulk({
    action: 'attach',
    filter: {},
    expected: total,
    product_ids: [1, 2],
  })
  assert.equal(attached.status, 200, JSON.stringify(attached.body))
  assert.equal(attached.body.data.assets, total)
  const changed: { id: string; products: string[] }[] = attached.body.data.attachments
  assert.deepEqual(attached.body.data.changed.length, total)
  assert.equal(changed.length, total)
  assert.deepEqual(changed.find(({ id }) => id === all[0].id)?.products, [two?.id])
  assert.deepEqual(
    changed.find(({ id }) => id === all[1].id)?.products.toSorted(),
    [one?.id, two?.id].sort(),
  )
  const filter = { sku: '', product_id: 1, type: 'link', attached: true }
  const deleted = await bulk({ action: 'delete', filter, expected: total })
  assert.equal(deleted.body.data.changed.length, total)
  assert.deepEqual([await count('attached=true'), await count('trashed=true')], [0, total])
  const repeated = await bulk({ action: 'delete', filter, expected: total })
  assert.deepEqual(
    [repeated.status, repeated.body.code, repeated.body.matched, repeated.body.expected],
    [409, 'selection_changed', 0, total],
  )
  const restored = await bulk({
    action: 'restore',
    filter: { trashed: true, type: 'link' },
    expected: total + 1,
  })
  assert.equal(restored.body.data.changed.length, total)
  assert.equal(await count('product_id=2'), total)
  const again = await bulk({ action: 'restore', filter: {}, expected: total })
  assert.deepEqual(again.body.data, { action: 'restore', assets: total, changed: [] })
})

test('a bulk call with a filter is refused if it is incomplete, or if another number matches', async (t) => {
  const service = await aService(t)
  await storeManyLinks(service, 20)
  const total = (await service.call('GET', `${API}/assets`)).body.meta.total
  const wrong: [object, string][] = [
    [{}, 'ids'],
    [{ filter: {} }, 'expected'],
    [{ filter: {}, expected: -1 }, 'expected'],
    [{ filter: { colour: 'red' }, expected: total }, 'filter.colour'],
    [{ filter: [], expected: total }, 'filter'],
    [{ filter: { search: 'x '.repeat(200) }, expected: total }, 'filter.search'],
    [{ filter: {}, expected: total, ids: [service.context.newId()] }, 'filter'],
    [{ expected: total, ids: [service.context.newId()] }, 'expected'],
  ]
  for (const [body, field] of wrong) {
    const { status, body: refusal } = await service.call('POST', `${API}/assets/bulk`, {
      action: 'delete',
      ...body,
    })
    assert.deepEqual(
      [status, Object.keys(refusal.errors ?? {})],
      [422, [field]],
      JSON.stringify(body),
    )
  }
  for (const expected of [total - 2, total + 2, 0, 1_000_000]) {
    const { status, body } = await service.call('POST', `${API}/assets/bulk`, {
      action: 'delete',
      filter: {},
      expected,
    })
    assert.deepEqual([status, body.code, body.matched], [409, 'selection_changed', total])
  }
  assert.equal((await service.call('GET', `${API}/assets`)).body.meta.total, total)
})

test('a change by filter and changes of the same assets by others all take effect', async (t) => {
  const service = await aService(t)
  await storeManyLinks(service, 40)
  const { data, meta } = (await service.call('GET', `${API}/assets?limit=100`)).body
  const ids: string[] = data.map(({ id }: { id: string }) => id)
  const [bulk, ...others] = await Promise.all([
    service.call('POST', `${API}/assets/bulk`, {
      action: 'delete',
      filter: {},
      expected: meta.total,
    }),
    ...ids.slice(0, 10).map((id) => service.call('DELETE', `${API}/assets/${id}?permanent=true`)),
  ])
  for (const { status } of others) assert.ok(status === 202 || status === 404, `${status}`)
  if (bulk?.status === 409) assert.equal(bulk.body.code, 'selection_changed')
  else {
    assert.equal(bulk?.status, 200, JSON.stringify(bulk?.body))
    assert.equal((await service.call('GET', `${API}/assets`)).body.meta.total, 0)
  }
})
