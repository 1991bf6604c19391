import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '@stowage/protocol'
import {
  aKeyedService,
  anAccount,
  type Call,
  callerWith,
  requestKey,
} from '@stowage/testing/service/accounts'
import { takeOverJobs } from '@stowage/testing/service/jobs'
import { aDeployment, aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { forgetIdempotencyKeys } from '../../../src/jobs/schedule.ts'

const HEADERS = { 'Idempotency-Key': 'order-1' }

const CREATIONS: { path: string; body: Record<string, unknown>; other: object }[] = [
  { path: '/keys', body: { name: 'a', scope: 'read' }, other: { name: 'b' } },
  { path: '/upload-tokens', body: { max_bytes: 5, max_files: 2 }, other: { max_bytes: 6 } },
  {
    path: '/webhooks',
    body: { url: 'https://a.example', types: null },
    other: { description: 'b' },
  },
  { path: '/assets/store', body: { filename: 'a', url: 'https://a.example' }, other: { size: 1 } },
]

const LISTS: Record<string, string> = { '/assets/store': '/assets' }

async function count(call: Call, path: string): Promise<number> {
  const { body } = await call('GET', `${API}${LISTS[path] ?? path}`)
  return body.data.filter(({ name }: { name?: string }) => name === undefined || name === 'a')
    .length
}

for (const { path, body, other } of CREATIONS) {
  test(`a repeated POST ${path} with the same Idempotency-Key creates one, and returns the same response`, async (t) => {
    const service = await aKeyedService(t)
    const { call } = await anAccount(service, { name: 'default' })
    const send = (sent: object) => call('POST', `${API}${path}`, sent, HEADERS)
    // In another order, as some languages send the members of an object.
    const reversed = Object.fromEntries(Object.entries(body).reverse())
    const responses = await Promise.all([send(body), send(reversed), send(body)])
    const later = await send(body)
    const replayed = [...responses, later].map(({ headers }) => headers.get('idempotency-replayed'))
    assert.deepEqual(replayed.toSorted(), [null, 'true', 'true', 'true'].toSorted())
    for (const response of responses) {
      assert.equal(response.status, 201, response.text)
      assert.deepEqual(response.body, later.body)
    }
    assert.equal(await count(call, path), 1)
    const refused = await send({ ...body, ...other })
    assert.deepEqual([refused.status, refused.body.code], [409, 'idempotency_key_reused'])
    assert.equal(await count(call, path), 1)
    const plain = await call('POST', `${API}${path}`, body)
    assert.equal(plain.headers.get('idempotency-replayed'), null)
    assert.equal(await count(call, path), 2)
  })
}

test('the secret of a repeated call works, and another key of the account does not get it', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const body = { name: 'a', scope: 'read' }
  const first = await call('POST', `${API}/keys`, body, HEADERS)
  const again = await call('POST', `${API}/keys`, body, HEADERS)
  assert.equal(again.body.data.secret, first.body.data.secret)
  const created = callerWith(service.baseUrl, again.body.data.secret)
  assert.equal((await created('GET', `${API}/account`)).status, 200)
  const { secret } = await requestKey(call, 'manage')
  const other = callerWith(service.baseUrl, secret)
  const theirs = await other('POST', `${API}/keys`, body, HEADERS)
  assert.equal(theirs.status, 201)
  assert.notEqual(theirs.body.data.id, first.body.data.id)
  assert.notEqual(theirs.body.data.secret, first.body.data.secret)
})

test('an Idempotency-Key is known after a restart, until it is forgotten', async (t) => {
  const deployment = await aDeployment(t)
  const body = { max_bytes: 5 }
  const send = (call: Awaited<ReturnType<typeof aService>>['call']) =>
    call('POST', `${API}/upload-tokens`, body, HEADERS)
  const before = await aService(t, {}, deployment)
  const first = await send(before.call)
  await before.close()
  const after = await aService(t, {}, deployment)
  assert.deepEqual((await send(after.call)).body, first.body)
  const own = await takeOverJobs(after)
  await forgetIdempotencyKeys(own, AbortSignal.timeout(60_000))
  assert.equal((await send(after.call)).body.id, first.body.id)
  await own.database.forgetIdempotencyKeys(-1000, 10)
  assert.notEqual((await send(after.call)).body.id, first.body.id)
})

test('a repeated call whose link or webhook was deleted is refused', async (t) => {
  const { call } = await aService(t)
  for (const { path, body } of CREATIONS.slice(2)) {
    const send = () => call('POST', `${API}${path}`, body, { 'Idempotency-Key': path })
    const { id } = (await send()).body.data
    await call('DELETE', `${API}${LISTS[path] ?? path}/${id}`)
    const refused = await send()
    assert.deepEqual([refused.status, refused.body.code], [409, 'result_gone'], path)
    const key = { 'Idempotency-Key': path }
    const other = await call('POST', `${API}/upload-tokens`, { max_bytes: 1 }, key)
    assert.equal(other.body.code, 'idempotency_key_reused')
  }
})

test('every POST that has another effect each time accepts an Idempotency-Key or refuses it', async (t) => {
  const refusing = ENDPOINTS.filter(({ refusesIdempotencyKey }) => refusesIdempotencyKey)
  assert.deepEqual(
    refusing.map(({ operationId }) => operationId),
    [
      'startBulk',
      'undoBulk',
      'emailOrder',
      'sendMailAgain',
      'testMail',
      'previewMailText',
      'notifyBuyers',
      'rotateWebhookSecret',
      'pingWebhook',
      'redeliver',
      'signIn',
    ],
  )
  const { call } = await aService(t)
  const webhook = await call('POST', `${API}/webhooks`, { url: 'https://a.example' })
  const path = `${API}/webhooks/${webhook.body.data.id}`
  const refused = await call('POST', `${path}/rotate`, undefined, HEADERS)
  assert.equal(refused.status, 422)
  assert.match(refused.body.errors['idempotency-key'][0], /must be omitted/)
  const unchanged = await call('GET', path)
  assert.equal(unchanged.body.data.previous_secret_valid_until, null)
})
