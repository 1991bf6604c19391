import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventPage } from '@stowage/protocol'
import { aKeyedService, anAccount } from '@stowage/testing/service/accounts'
import { aService, type JsonResponse } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { eventNumber } from '../../../src/domain/event.ts'
import { replaceFile } from '../../support/versions.ts'

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<JsonResponse>

async function addLink(call: Call, filename: string): Promise<string> {
  const url = 'https://example.com/elsewhere.zip'
  const { status, body } = await call('POST', `${API}/assets/store`, { filename, url })
  assert.equal(status, 201)
  return body.data.id
}

async function find(call: Call, query: Record<string, string>): Promise<EventPage> {
  const { status, body } = await call('GET', `${API}/events?${new URLSearchParams(query)}`)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

function summaryOf({ data }: EventPage): string[] {
  return data.map(({ id, type }) => `${eventNumber(id)} ${type}`)
}

test('events answer who deleted a file, by its name, its actor and its time', async (t) => {
  const service = await aKeyedService(t)
  const { call, keys } = await anAccount(service, { name: 'shop' })
  const id = await addLink(call, 'Intro.pdf')
  await addLink(call, 'other.pdf')
  await call('PUT', `${API}/assets/${id}`, { filename: 'start.pdf' })
  await call('DELETE', `${API}/assets/${id}`, undefined, {
    Authorization: `Bearer ${keys.write.secret}`,
  })
  const search = 'intro'
  assert.deepEqual(summaryOf(await find(call, { search })), ['4 asset.ready', '6 asset.updated'])
  const deleted = await find(call, {
    search: 'pdf start',
    type: 'asset.deleted,asset.removed',
    order: 'desc',
  })
  assert.deepEqual(summaryOf(deleted), ['7 asset.deleted'])
  assert.deepEqual(deleted.data[0]?.actor, { type: 'key', id: keys.write.id, name: 'write' })
  assert.deepEqual([deleted.meta.has_more, deleted.meta.examined_to], [false, null])
  for (const actor of ['write', keys.write.id, keys.write.id.toUpperCase(), 'key:write']) {
    assert.deepEqual(summaryOf(await find(call, { actor })), ['7 asset.deleted'], actor)
  }
  assert.deepEqual(summaryOf(await find(call, { actor: 'key', search: 'start' })), [
    '6 asset.updated',
    '7 asset.deleted',
  ])
  for (const actor of ['Write', 'upload_token:write', 'anonymous', crypto.randomUUID()]) {
    assert.deepEqual(summaryOf(await find(call, { actor })), [], actor)
  }
  const today = new Date().toISOString().slice(0, 10)
  const { created_at: at = '' } = deleted.data[0] ?? {}
  const shifted = new Date(Date.parse(at) + 3_600_000).toISOString().replace('Z', '+01:00')
  assert.equal((await find(call, { from: today, to: today })).data.length, 7)
  assert.deepEqual(summaryOf(await find(call, { from: at, type: 'asset.deleted' })), [
    '7 asset.deleted',
  ])
  assert.deepEqual(
    summaryOf(await find(call, { from: shifted, search: 'pdf', type: 'asset.deleted' })),
    ['7 asset.deleted'],
  )
  assert.deepEqual(summaryOf(await find(call, { to: at, type: 'asset.deleted' })), [])
  assert.deepEqual(summaryOf(await find(call, { to: '2026-01-01' })), [])
  // Like in other lists, an empty filter filters nothing.
  assert.equal((await find(call, { actor: '', search: '' })).data.length, 7)
})

test('a search examines at most 10,000 events per call, and following its pages finds each match once', async (t) => {
  const { call } = await aService(t)
  const last = await addLink(call, 'needle 1.pdf')
  for (let batch = 0; batch < 11; batch += 1) {
    const products = Array.from({ length: 1000 }, (_, index) => {
      return { product_id: batch * 1000 + index, variant_id: 1, name: 'Pack' }
    })
    assert.equal((await call('PUT', `${API}/products`, { products })).status, 200)
  }
  await call('DELETE', `${API}/assets/${last}`)
  const first = await find(call, { search: 'needle', order: 'desc' })
  assert.deepEqual(summaryOf(first), ['11002 asset.deleted'])
  const { has_more, next_before = 0, examined_to } = first.meta
  assert.deepEqual([has_more, eventNumber(next_before)], [true, 1003])
  assert.ok(Date.parse(examined_to ?? '') <= Date.now())
  const second = await find(call, { search: 'needle', order: 'desc', before: `${next_before}` })
  assert.deepEqual([summaryOf(second), second.meta.has_more], [['1 asset.ready'], false])
  const up = await find(call, { search: 'needle' })
  assert.deepEqual([summaryOf(up), eventNumber(up.meta.next_after)], [['1 asset.ready'], 10_000])
  const rest = await find(call, { search: 'needle', after: `${up.meta.next_after}` })
  assert.deepEqual(summaryOf(rest), ['11002 asset.deleted'])
  assert.deepEqual([rest.meta.has_more, rest.meta.next_after], [false, rest.meta.last_id])
  // A rare type is read by an index, so one call is enough.
  const rare = await find(call, {
    search: 'needle',
    type: 'asset.ready,asset.deleted',
    order: 'desc',
  })
  assert.deepEqual(
    [summaryOf(rare), rare.meta.has_more],
    [['11002 asset.deleted', '1 asset.ready'], false],
  )
})

test('the list and the stream of events refuse filters that they cannot apply', async (t) => {
  const { call } = await aService(t)
  const stream = { Accept: 'text/event-stream' }
  const check = async (query: string, field: string, headers = {}) => {
    const { status, body } = await call('GET', `${API}/events?${query}`, undefined, headers)
    assert.deepEqual([status, Object.keys(body.errors ?? {})], [422, [field]], query)
  }
  await check(`actor=${'x'.repeat(256)}`, 'actor')
  await check(`search=${[...'abcdefghijklmnopqrstu'].join('%20')}`, 'search')
  for (const time of [
    '',
    'yesterday',
    '2026-02-30',
    '2026-01-31T09:30',
    '2026-01-31T25:00Z',
    '1769850000',
  ]) {
    await check(`from=${time}`, 'from')
    await check(`to=${time}`, 'to')
  }
  await check('from=2026-02-01&to=2026-01-31', 'to')
  await check('search=x&before=5', 'before')
  for (const filter of ['actor=key', 'search=x', 'from=2026-01-31', 'to=2026-01-31']) {
    await check(filter, filter.split('=')[0] ?? '', stream)
  }
})

test('a search keeps events of keys and webhooks from keys without the scope manage', async (t) => {
  const service = await aKeyedService(t)
  const { call, keys } = await anAccount(service, { name: 'shop' })
  await addLink(call, 'read me.pdf')
  const read: Call = (method, path, body) =>
    service.call(method, path, body, { Authorization: `Bearer ${keys.read.secret}` })
  assert.deepEqual(summaryOf(await find(read, { search: 'read' })), ['4 asset.ready'])
  assert.equal((await find(call, { search: 'read' })).data.length, 2)
})

test('the events of a bulk call share its ID, and a rename, a replacement and a restored version have what was before', async (t) => {
  const service = await aService(t)
  const { call } = service
  const ids = [await addLink(call, 'a'), await addLink(call, 'b')]
  await call('POST', `${API}/assets/bulk`, { action: 'delete', ids })
  await call('POST', `${API}/assets/bulk`, { action: 'restore', ids })
  const { data } = await find(call, { type: 'asset.deleted,asset.restored' })
  const calls = data.map((event) => event.call)
  assert.ok(calls[0] && calls[2] && calls[0] !== calls[2])
  assert.deepEqual(calls, [calls[0], calls[0], calls[2], calls[2]])

  const { id } = await uploadFile(service.baseUrl, { name: 'one.zip', bytes: someBytes(5) })
  await call('PUT', `${API}/assets/${id}`, { filename: 'two.zip' })
  await replaceFile(service, id, { name: 'three.zip', bytes: someBytes(5, 2) })
  await call('POST', `${API}/assets/${id}/versions/1/restore`)
  const changes = await find(call, { type: 'asset.updated,asset.replaced' })
  assert.deepEqual(
    changes.data.map(({ call: none, data }) => {
      const { previous, restored } = data as { previous?: object; restored?: boolean }
      return { none, previous, restored }
    }),
    [
      { none: null, previous: { filename: 'one.zip' }, restored: undefined },
      { none: null, previous: { version: 1, filename: 'two.zip' }, restored: false },
      { none: null, previous: { version: 2, filename: 'three.zip' }, restored: true },
    ],
  )
})
