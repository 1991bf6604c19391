import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { callerWith, finishUpload, sendUpload } from '@stowage/testing/service/accounts'
import { runJobs, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { storeLink, storeManyLinks } from '@stowage/testing/service/shop'
import { API, someBytes } from '@stowage/testing/service/upload'

async function aCourse(service: TestService) {
  const paths = ['course', 'course/week 1', 'course/week 1', 'course/week 2/extra', 'samples']
  for (const path of paths) await storeLink(service, { path })
  await storeLink(service)
}

test('the folders of an account are listed level by level', async (t) => {
  const service = await aService(t)
  await aCourse(service)
  const list = async (query: string) => (await service.call('GET', `${API}/folders${query}`)).body
  const course = { assets_is_exact: true, has_folders: true }
  assert.deepEqual(await list(''), {
    data: [
      { name: 'course', path: 'course', assets: 4, ...course },
      { name: 'samples', path: 'samples', assets: 1, ...course, has_folders: false },
    ],
    meta: { next_after: null },
  })
  const first = await list('?path=course/&limit=1')
  const week1 = { name: 'week 1', path: 'course/week 1', assets: 2, ...course, has_folders: false }
  assert.deepEqual(first, { data: [week1], meta: { next_after: 'week 1' } })
  const second = await list('?path=course&limit=1&after=week%201&colour=red')
  const week2 = { name: 'week 2', path: 'course/week 2', assets: 1, ...course }
  assert.deepEqual(second, { data: [week2], meta: { next_after: null, ignored: ['colour'] } })
  assert.deepEqual((await list('?path=none')).data, [])

  const total = async (query: string) => {
    return (await service.call('GET', `${API}/assets?${query}`)).body.meta.total
  }
  assert.equal(await total('path=course'), 4)
  assert.equal(await total('path=course&below=false'), 1)
  assert.equal(await total('below=false'), 1)
  assert.equal(await total('below=true'), 6)
  for (const query of ['?path=/course', '?path=a//b', '?limit=0', '?after=%00']) {
    assert.equal((await service.call('GET', `${API}/folders${query}`)).status, 422, query)
  }
})

test('a folder is renamed, and merged with another one only on request', async (t) => {
  const service = await aService(t)
  const { call } = service
  await aCourse(service)
  const move = (body: object) => call('POST', `${API}/folders/move`, body)
  const renamed = await move({ from: 'course/week 1/', to: 'Kurs/Einführung' })
  assert.equal(renamed.status, 202)
  const { id, created_at, finished_at, ...data } = renamed.body.data
  assert.ok(Date.parse(finished_at) >= Date.parse(created_at))
  const expected = { from: 'course/week 1', to: 'Kurs/Einführung', status: 'moved', moved: 2 }
  assert.deepEqual(data, expected)
  const moves = await call('GET', `${API}/folders/moves`)
  assert.deepEqual(moves.body.data, [renamed.body.data])
  const { body } = await call('GET', `${API}/assets?path=Kurs`)
  assert.deepEqual(
    body.data.map(({ path }: { path: string }) => path),
    ['Kurs/Einführung', 'Kurs/Einführung'],
  )

  const again = await move({ from: 'course/week 1', to: 'Kurs/Einführung' })
  assert.deepEqual([again.status, again.body.code], [404, 'not_found'])
  const refused = await move({ from: 'samples', to: 'Kurs' })
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.assets],
    [409, 'folder_exists', 2],
  )
  assert.match(refused.body.message, /The folder Kurs already has 2 assets\. Send merge: true/)
  assert.equal((await move({ from: 'samples', to: 'Kurs', merge: true })).status, 202)
  assert.equal((await call('GET', `${API}/assets?path=Kurs`)).body.meta.total, 3)
})

test('an invalid move of a folder is refused, and changes nothing', async (t) => {
  const service = await aService(t)
  const { call } = service
  const deep = `course/${'x/'.repeat(250)}y`
  await storeLink(service, { path: deep })
  for (const [body, field] of [
    [{ from: 'course', to: 'course/old' }, 'to'],
    [{ from: 'course', to: 'course/' }, 'to'],
    [{ from: 'course', to: 'a name that is much longer' }, 'to'],
    [{ from: '/', to: 'x' }, 'from'],
    [{ from: '', to: 'x' }, 'from'],
    [{ from: 'course', to: '../x' }, 'to'],
    [{ from: 'course' }, 'to'],
    [{ from: 'course', to: 'x', merge: 1 }, 'merge'],
    [{ from: 'course', to: 'x', replace: true }, 'replace'],
  ] as const) {
    const { status, body: problem } = await call('POST', `${API}/folders/move`, body)
    assert.equal(status, 422, JSON.stringify(body))
    assert.ok(problem.errors[field], JSON.stringify(problem))
  }
  assert.equal((await call('GET', `${API}/assets?path=${deep}`)).body.meta.total, 1)
})

test('a move of many assets continues in the background, and each asset has an event', async (t) => {
  const service = await aService(t)
  const { call } = service
  const context = await takeOverJobs(service)
  const [account] = await context.database.listAccounts()
  const data = context.database.of(account?.id ?? '')
  await storeLink(service, { path: 'a' })
  const upload = await sendUpload(callerWith(service.baseUrl), {
    name: 'open.zip',
    bytes: someBytes(30),
    path: 'a/b',
  })
  // As if the service had been stopped before the first asset was moved.
  const move = { id: context.newId(), source: 'a/', destination: 'b/', createdAt: context.clock() }
  assert.equal((await data.beginFolderMove(move, { merge: false })).outcome, 'begun')
  const listed = (await call('GET', `${API}/folders/moves`)).body.data[0]
  assert.deepEqual([listed.status, listed.moved, listed.finished_at], ['moving', 0, null])
  const overlapping = await call('POST', `${API}/folders/move`, { from: 'a', to: 'c' })
  assert.deepEqual(
    [overlapping.status, overlapping.body.code, overlapping.body.move_id],
    [409, 'folder_move_in_progress', move.id],
  )
  const late = await storeLink(service, { path: 'a' })
  const { lastId } = await data.listEvents({ after: 0, limit: 1 })
  await runJobs(context)
  const finished = (await call('GET', `${API}/folders/moves`)).body.data[0]
  assert.deepEqual([finished.status, finished.moved], ['moved', 2])
  assert.equal((await finishUpload(callerWith(service.baseUrl), upload)).path, 'b/b')
  assert.equal((await call('GET', `${API}/assets/${late.id}`)).body.data.path, 'a')
  const { body } = await call('GET', `${API}/events?after=${lastId}&type=asset.updated`)
  assert.deepEqual(
    body.data.map((event: { data: { path: string } }) => event.data.path),
    ['b', 'b/b'],
  )
})

test('a call moves more assets than one transaction does', async (t) => {
  const service = await aService(t)
  const { call } = service
  await storeManyLinks(service, 450, { path: 'a' })
  const { body } = await call('POST', `${API}/folders/move`, { from: 'a', to: 'b/c' })
  assert.deepEqual([body.data.status, body.data.moved], ['moved', 450])
  assert.equal((await call('GET', `${API}/assets?path=b/c`)).body.meta.total, 450)
})

test('selected assets are moved to a folder together, or none of them', async (t) => {
  const service = await aService(t)
  const { call } = service
  const ids = [(await storeLink(service)).id, (await storeLink(service, { path: 'x' })).id]
  const bulk = (body: object) => call('POST', `${API}/assets/bulk`, body)
  const unknown = await bulk({ action: 'move', ids: [...ids, randomUUID()], path: 'a' })
  assert.equal(unknown.status, 422)
  const moved = await bulk({ action: 'move', ids, path: 'a/b' })
  assert.deepEqual(moved.body, { data: { action: 'move', assets: 2 } })
  assert.equal((await call('GET', `${API}/assets?path=a/b`)).body.meta.total, 2)
  assert.equal((await bulk({ action: 'move', ids, path: null })).status, 200)
  assert.equal((await call('GET', `${API}/assets?below=false`)).body.meta.total, 2)
  for (const body of [
    { action: 'move', ids },
    { action: 'move', ids, path: '../x' },
    { action: 'delete', ids, path: 'x' },
  ]) {
    assert.ok((await bulk(body)).body.errors.path, JSON.stringify(body))
  }
})
