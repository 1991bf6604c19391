import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { NEVER, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import { attach, putProducts, storeManyLinks } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'
import type { Engines } from '../../../src/compose.ts'
import type { AccountData } from '../../../src/database/account-data.ts'
import { EngineUnavailable } from '../../../src/domain/errors.ts'
import { continueBulkJobs } from '../../../src/jobs/schedule.ts'

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

/** The database, with another `continueBulkJob`. */
function withContinue(
  { database }: Pick<Engines, 'database'>,
  continueBulkJob: (data: AccountData, id: string) => ReturnType<AccountData['continueBulkJob']>,
): Pick<Engines, 'database'> {
  return {
    database: {
      ...database,
      of(...caller) {
        const data = database.of(...caller)
        return { ...data, continueBulkJob: (id) => continueBulkJob(data, id) }
      },
    },
  }
}

test('a change whose batches fail does not stop the others, and the job reports it', async (t) => {
  const service = await aService(t)
  const context = await takeOverJobs(service)
  await storeManyLinks(service, 620)
  const expected = (await service.call('GET', `${API}/assets?exact_total=true`)).body.meta.total
  const ids: string[] = []
  for (const tag of ['a', 'b', 'c']) {
    const body = { action: 'tag', filter: {}, expected, tags: [tag] }
    ids.push((await service.call('POST', BULK, body)).body.data.id)
  }
  const [bad] = ids
  let attempts = 0
  const { database } = withContinue(context, async (data, id) => {
    if (id !== bad) return data.continueBulkJob(id)
    attempts += 1
    throw new Error('broken for the test')
  })
  await assert.rejects(continueBulkJobs({ ...context, database }, NEVER), /broken for the test/)
  assert.equal(attempts, 1)
  const { data } = (await service.call('GET', BULK)).body
  assert.deepEqual(
    data.map(({ status }: { status: string }) => status),
    ['finished', 'finished', 'running'],
  )
  await continueBulkJobs(context, NEVER)
  assert.equal((await service.call('GET', `${BULK}/${bad}`)).body.data.status, 'finished')
})

test('an outage after a change was stored does not make the call fail, because a job continues it', async (t) => {
  let isBroken = false
  const service = await aService(t, {}, undefined, {
    wrap: (engines) =>
      withContinue(engines, async (data, id) => {
        if (isBroken) throw new EngineUnavailable('database', new Error('the connection broke'))
        return data.continueBulkJob(id)
      }),
  })
  await storeManyLinks(service, 10)
  const { total } = (await service.call('GET', `${API}/assets`)).body.meta
  isBroken = true
  const body = { action: 'delete', filter: {}, expected: total }
  const started = await service.call('POST', BULK, body)
  assert.deepEqual([started.status, started.body.data.status], [202, 'running'])
  isBroken = false
  const { id } = started.body.data
  await until('the change is finished', async () => {
    const { data } = (await service.call('GET', `${BULK}/${id}`)).body
    return data.status === 'finished' && data.changed === total
  })
})

test('the call waits for fewer assets if several products are attached to each', async (t) => {
  const service = await aService(t)
  await takeOverJobs(service)
  await storeManyLinks(service, 60)
  const products = Array.from({ length: 50 }, (_, index) => ({
    ...{ product_id: 1, variant_id: index + 1, name: `Variant ${index}` },
  }))
  await putProducts(service, products)
  const { total } = (await service.call('GET', `${API}/assets`)).body.meta
  const body = { action: 'attach', filter: {}, expected: total, product_ids: [1] }
  const { data } = (await service.call('POST', BULK, body)).body
  assert.equal(data.status, 'running')
  assert.ok(data.done > 0 && data.done <= 20, `${data.done}`)
  await continueBulkJobs(service.context, NEVER)
  assert.equal((await service.call('GET', `${BULK}/${data.id}`)).body.data.status, 'finished')
})

test('assets that were restored after the call are not removed with the trash', async (t) => {
  const service = await aService(t)
  const context = await takeOverJobs(service)
  await storeManyLinks(service, 620)
  const { data: page, meta } = (
    await service.call('GET', `${API}/assets?exact_total=true&limit=1000`)
  ).body
  const trash = { action: 'delete', filter: {}, expected: meta.total }
  await service.call('POST', BULK, trash)
  await continueBulkJobs(context, NEVER)
  const empty = { ...trash, filter: { trashed: true }, permanent: true }
  const { data: started } = (await service.call('POST', BULK, empty)).body
  assert.equal(started.status, 'running')
  const inTrash = (await service.call('GET', `${API}/assets?trashed=true&limit=1000`)).body.data
  const restored = inTrash[0].id
  assert.ok(page.some(({ id }: { id: string }) => id === restored))
  assert.equal((await service.call('POST', `${API}/assets/${restored}/restore`)).status, 200)
  await continueBulkJobs(context, NEVER)
  const { data: ended } = (await service.call('GET', `${BULK}/${started.id}`)).body
  assert.deepEqual([ended.status, ended.changed, ended.skipped], ['finished', meta.total - 1, 1])
  const left = (await service.call('GET', `${API}/assets`)).body.data
  assert.deepEqual(
    left.map(({ id }: { id: string }) => id),
    [restored],
  )
})
