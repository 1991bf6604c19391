import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { takeOverJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import { attach, putProducts, storeManyLinks } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

const BULK = `${API}/bulk`

test('all assets that match a filter are changed, and undoing changes exactly those back', async (t) => {
  const service = await aService(t)
  await putProducts(service, [
    { product_id: 1, variant_id: 1, name: 'One' },
    { product_id: 2, variant_id: 2, name: 'Two' },
  ])
  await storeManyLinks(service, 30)
  const start = async (body: object) => {
    const response = await service.call('POST', BULK, body)
    assert.equal(response.status, 202, JSON.stringify(response.body))
    return response.body.data
  }
  const count = async (query: string) =>
    (await service.call('GET', `${API}/assets?exact_total=true&${query}`)).body.meta.total
  const all = (await service.call('GET', `${API}/assets?limit=100`)).body.data
  const total: number = all.length
  await attach(service, all[0].id, { product_ids: [1] })
  const attached = await start({
    action: 'attach',
    filter: {},
    expected: total,
    product_ids: [1, 2],
  })
  const { id, created_at, finished_at, ...rest } = attached
  assert.ok(id && created_at && finished_at)
  const done = { total, done: total, changed: total, skipped: 0 }
  assert.deepEqual(rest, {
    ...{ action: 'attach', status: 'finished', ...done, error: null },
    ...{ can_undo: true, undoes: null, undone_by: null },
  })
  const undo = await service.call('POST', `${BULK}/${id}/undo`)
  assert.deepEqual([undo.status, undo.body.data.undoes], [202, id])
  assert.deepEqual([await count('product_id=1'), await count('product_id=2')], [1, 0])
  const read = (await service.call('GET', `${BULK}/${id}`)).body.data
  assert.deepEqual([read.can_undo, read.undone_by], [false, undo.body.data.id])
  assert.equal((await service.call('POST', `${BULK}/${id}/undo`)).body.data.id, undo.body.data.id)

  await start({ action: 'attach', filter: {}, expected: total, product_ids: [1, 2] })
  const filter = { sku: '', product_id: 1, type: 'link', attached: true }
  const deleted = await start({ action: 'delete', filter, expected: total })
  assert.equal(deleted.changed, total)
  assert.deepEqual([await count('attached=true'), await count('trashed=true')], [0, total])
  const repeated = await service.call('POST', BULK, { action: 'delete', filter, expected: total })
  assert.deepEqual(
    [repeated.status, repeated.body.code, repeated.body.matched, repeated.body.expected],
    [409, 'selection_changed', 0, total],
  )
  const inTrash = { trashed: true, type: 'link' }
  const restored = await start({ action: 'restore', filter: inTrash, expected: total + 1 })
  assert.equal(restored.changed, total)
  assert.equal(await count('product_id=2'), total)
  const again = await start({ action: 'restore', filter: {}, expected: total })
  assert.deepEqual([again.changed, again.skipped, again.can_undo], [0, total, false])
  const refused = await service.call('POST', `${BULK}/${again.id}/undo`)
  assert.deepEqual([refused.status, refused.body.code], [409, 'not_undoable'])

  const tagged = await start({ action: 'tag', filter: {}, expected: total, tags: ['autumn'] })
  assert.equal(await count('tag=autumn'), total)
  await start({ action: 'move', filter: { tag: 'autumn' }, expected: total, path: 'a/b' })
  assert.equal(await count('path=a'), total)
  await service.call('POST', `${BULK}/${tagged.id}/undo`)
  assert.equal(await count('tag=autumn'), 0)
  const removed = await start({
    action: 'delete',
    filter: { path: 'a' },
    expected: total,
    permanent: true,
  })
  assert.deepEqual([removed.changed, removed.can_undo], [total, false])
  const { data: listed } = (await service.call('GET', BULK)).body
  assert.equal(listed[0].id, removed.id)
  const { data: events } = (await service.call('GET', `${API}/events?limit=100&type=asset.removed`))
    .body
  assert.equal(events.length, total)
  assert.ok(events.every((event: { call: string }) => event.call === events[0].call))
})

test('a change of all matches is refused if it is incomplete, or if another number matches', async (t) => {
  const service = await aService(t)
  await storeManyLinks(service, 20)
  const total = (await service.call('GET', `${API}/assets`)).body.meta.total
  const valid = { action: 'delete', filter: {}, expected: total }
  const wrong: [object, string][] = [
    [{ action: 'delete', expected: total }, 'filter'],
    [{ action: 'delete', filter: {} }, 'expected'],
    [{ ...valid, expected: -1 }, 'expected'],
    [{ ...valid, filter: { colour: 'red' } }, 'filter.colour'],
    [{ ...valid, filter: [] }, 'filter'],
    [{ ...valid, filter: { search: 'x '.repeat(200) } }, 'filter.search'],
    [{ ...valid, ids: [service.context.newId()] }, 'ids'],
    [{ ...valid, tags: ['a'] }, 'tags'],
    [{ ...valid, product_ids: [1] }, 'product_ids'],
    [{ ...valid, action: 'tag' }, 'tags'],
    [{ ...valid, action: 'move' }, 'path'],
    [{ ...valid, action: 'move', path: '../x' }, 'path'],
    [{ ...valid, action: 'restore', permanent: true }, 'permanent'],
    [{ ...valid, action: 'attach' }, 'product_ids'],
    [{ ...valid, action: 'attach', product_ids: [7] }, 'product_ids'],
  ]
  for (const [body, field] of wrong) {
    const { status, body: refusal } = await service.call('POST', BULK, body)
    assert.deepEqual(
      [status, Object.keys(refusal.errors ?? {})],
      [422, [field]],
      JSON.stringify(body),
    )
  }
  for (const expected of [total - 2, total + 2, 0, 1_000_000]) {
    const { status, body } = await service.call('POST', BULK, { ...valid, expected })
    assert.deepEqual([status, body.code, body.matched], [409, 'selection_changed', total])
  }
  assert.equal((await service.call('GET', `${API}/assets`)).body.meta.total, total)
  assert.deepEqual((await service.call('GET', BULK)).body.data, [])
  for (const [method, path] of [
    ['GET', ''],
    ['POST', '/cancel'],
    ['POST', '/undo'],
  ]) {
    const unknown = await service.call(method ?? '', `${BULK}/${service.context.newId()}${path}`)
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'not_found'])
  }
})

test('a large change continues in the background, and what is stored later is not changed', async (t) => {
  const service = await aService(t)
  await storeManyLinks(service, 1_100)
  const total = (await service.call('GET', `${API}/assets?exact_total=true`)).body.meta.total
  const body = { action: 'tag', filter: {}, expected: total, tags: ['autumn'] }
  const { body: started } = await service.call('POST', BULK, body)
  const later = await service.call('POST', `${API}/assets/store`, {
    filename: 'later',
    url: 'https://example.com',
  })
  const { id, done } = started.data
  assert.ok(done >= 500 && done < total, `${done}`)
  const read = async () => (await service.call('GET', `${BULK}/${id}`)).body.data
  await until('the change is finished', async () => (await read()).status === 'finished')
  const finished = await read()
  assert.deepEqual([finished.done, finished.changed], [total, total])
  const asset = await service.call('GET', `${API}/assets/${later.body.data.id}`)
  assert.deepEqual(asset.body.data.tags, [])
})

test('a cancelled change leaves the remaining assets, and too many changes at the same time are refused', async (t) => {
  const service = await aService(t)
  await storeManyLinks(service, 1_100)
  await takeOverJobs(service)
  const total = (await service.call('GET', `${API}/assets?exact_total=true`)).body.meta.total
  const change = (tag: string) =>
    service.call('POST', BULK, { action: 'tag', filter: {}, expected: total, tags: [tag] })
  const { id, done } = (await change('a')).body.data
  const running = await service.call('POST', `${BULK}/${id}/undo`)
  assert.deepEqual([running.status, running.body.code], [409, 'bulk_in_progress'])
  for (let count = 1; count < 10; count += 1) assert.equal((await change(`${count}`)).status, 202)
  const refused = await change('b')
  assert.deepEqual([refused.status, refused.body.code], [409, 'bulk_in_progress'])
  const cancelled = await service.call('POST', `${BULK}/${id}/cancel`)
  assert.deepEqual(
    [cancelled.status, cancelled.body.data.status, cancelled.body.data.changed],
    [200, 'cancelled', done],
  )
  const { total: tagged } = (await service.call('GET', `${API}/assets?tag=a&exact_total=true`)).body
    .meta
  assert.equal(tagged, done)
  assert.equal((await service.call('POST', `${BULK}/${id}/undo`)).status, 202)
})

test('a change of all matches and changes of the same assets by others all take effect', async (t) => {
  const service = await aService(t)
  await storeManyLinks(service, 40)
  const { data, meta } = (await service.call('GET', `${API}/assets?limit=100`)).body
  const ids: string[] = data.map(({ id }: { id: string }) => id)
  const [bulk, ...others] = await Promise.all([
    service.call('POST', BULK, { action: 'delete', filter: {}, expected: meta.total }),
    ...ids.slice(0, 10).map((id) => service.call('DELETE', `${API}/assets/${id}?permanent=true`)),
  ])
  for (const { status } of others) assert.ok(status === 202 || status === 404, `${status}`)
  if (bulk?.status === 409) assert.equal(bulk.body.code, 'selection_changed')
  else {
    assert.equal(bulk?.status, 202, JSON.stringify(bulk?.body))
    assert.equal((await service.call('GET', `${API}/assets`)).body.meta.total, 0)
  }
})
