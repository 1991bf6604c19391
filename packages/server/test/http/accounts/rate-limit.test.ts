import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  type Call,
  callerWith,
} from '@stowage/testing/service/accounts'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { formatApiKey, formatUploadToken } from '../../../src/domain/key.ts'
import { forAccount } from '../../../src/operations/context.ts'
import { createKey } from '../../../src/operations/keys.ts'

const MINUTE = Date.UTC(2030, 0, 1, 12, 30)

/** Sets the clock to this many milliseconds after the start of the minute. */
function setClock({ context }: TestService, afterMs: number): void {
  context.clock = () => new Date(MINUTE + afterMs)
}

test('a key may send a limited number of requests per minute, and each response reports the remaining ones', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '5' })
  const { keys } = await anAccount(service, { name: 'shop' })
  setClock(service, 20_500)
  const call = callerWith(service.baseUrl, keys.read.secret)
  for (const remaining of [4, 3, 2, 1, 0]) {
    // A request that is refused for its scope counts too.
    const [path, status] = remaining % 2 === 0 ? ['account', 200] : ['keys', 403]
    const response = await call('GET', `${API}/${path}`)
    assert.equal(response.status, status)
    assert.deepEqual(limitHeaders(response.headers), ['5', String(remaining), resetsAt(60), null])
  }
  for (const path of ['account', 'assets', 'keys']) {
    const refused = await call('GET', `${API}/${path}`)
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests'])
    assert.deepEqual(limitHeaders(refused.headers), ['5', '0', resetsAt(60), '40'])
  }
  setClock(service, 59_999)
  const late = await call('GET', `${API}/account`)
  assert.deepEqual(limitHeaders(late.headers), ['5', '0', resetsAt(60), '1'])
  setClock(service, 60_000)
  const nextMinute = await call('GET', `${API}/account`)
  assert.equal(nextMinute.status, 200)
  assert.deepEqual(limitHeaders(nextMinute.headers), ['5', '4', resetsAt(120), null])
})

test('each key has its own limit, even within the same account', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '1' })
  const one = await anAccount(service, { name: 'default' })
  const other = await anAccount(service, { name: 'another account' })
  setClock(service, 0)
  const secrets = [one, other].flatMap(({ keys }) => Object.values(keys).map((key) => key.secret))
  for (const secret of [...secrets, ADMIN_KEY]) {
    const call = callerWith(service.baseUrl, secret)
    assert.equal((await call('GET', `${API}/account`)).status, 200)
    assert.equal((await call('GET', `${API}/account`)).status, 429)
  }
})

test('all keys of an account together send at most ten times the requests of one key', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '2' })
  const { id } = await anAccount(service, { name: 'shop' })
  const other = await anAccount(service, { name: 'other' })
  setClock(service, 0)
  const own = forAccount(service.context, id)
  const calls: Call[] = []
  for (let count = 0; count < 12; count += 1) {
    const { secret } = await createKey(own, { name: 'another', scope: 'write' })
    calls.push(callerWith(service.baseUrl, secret))
  }
  const [runaway = other.call, ...rest] = calls
  // Requests above the limit of the key do not count for the account.
  for (let count = 0; count < 30; count += 1) await runaway('GET', `${API}/account`)
  const responses = []
  for (const call of [...rest, ...rest]) responses.push(await call('GET', `${API}/account`))
  const statuses = responses.map(({ status }) => status)
  assert.deepEqual(statuses, [...Array(18).fill(200), ...Array(4).fill(429)])
  const [refused] = responses.slice(-1)
  assert.deepEqual(refused && limitHeaders(refused.headers), ['2', '0', resetsAt(60), '60'])
  assert.match(refused?.body.message, /All keys .* of the account together/)
  // A new key has sent nothing yet, but the account has no requests left.
  const { secret } = await createKey(own, { name: 'new', scope: 'write' })
  const first = await callerWith(service.baseUrl, secret)('GET', `${API}/account`)
  assert.deepEqual(limitHeaders(first.headers), ['2', '0', resetsAt(60), '60'])
  assert.equal((await other.call('GET', `${API}/account`)).status, 200)
})

test('upload tokens of an account do not use up the requests of its keys', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '30' })
  const { call } = await anAccount(service, { name: 'shop' })
  setClock(service, 0)
  const tokens = []
  for (let count = 0; count < 11; count += 1) {
    const { body } = await call('POST', `${API}/upload-tokens`, { max_bytes: 1 })
    tokens.push(callerWith(service.baseUrl, body.token))
  }
  const statuses = new Set<number>()
  for (const page of tokens) {
    const requests = Array.from({ length: 30 }, () => page('GET', `${API}/account`))
    for (const { status } of await Promise.all(requests)) statuses.add(status)
  }
  assert.deepEqual(statuses, new Set([403, 429]))
  assert.equal((await call('GET', `${API}/account`)).status, 200)
})

test('a request over the limit changes nothing', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '1' })
  const { id, call } = await anAccount(service, { name: 'shop' })
  setClock(service, 0)
  const link = { filename: 'a.zip', url: 'https://example.com/a.zip' }
  const responses = [
    await call('POST', `${API}/assets/store`, link),
    await call('POST', `${API}/assets/store`, link),
  ]
  assert.deepEqual(
    responses.map(({ status }) => status),
    [201, 429],
  )
  assert.equal((await service.context.database.of(id).readSummary()).assets, 1)
})

test('requests without a key count toward no limit, and public pages are never limited', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '1' })
  setClock(service, 0)
  const withoutKey = callerWith(service.baseUrl)
  for (let count = 0; count < 3; count += 1) {
    const refused = await withoutKey('GET', `${API}/account`)
    assert.deepEqual(
      [refused.status, ...limitHeaders(refused.headers)],
      [401, null, null, null, null],
    )
    assert.equal((await withoutKey('GET', '/healthz')).status, 200)
  }
  assert.equal((await callerWith(service.baseUrl, ADMIN_KEY)('GET', `${API}/account`)).status, 200)
})

test('after many wrong keys, tokens or cookies from an address, further ones get 429, and valid keys still work', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_TRUST_PROXY: '1' })
  setClock(service, 0)
  const path = `${API}/account`
  const from = (address: string, wrong: Record<string, string>) =>
    callerWith(service.baseUrl)('GET', path, undefined, { ...wrong, 'X-Forwarded-For': address })
  const bearer = (secret: string) => ({ Authorization: `Bearer ${secret}` })
  const random = () => randomBytes(32)
  const cookie = `stowage-session-${new URL(service.baseUrl).port}=${random().toString('base64url')}`
  const wrong = [
    () => bearer(formatApiKey(random())),
    () => bearer('mistyped'),
    () => bearer(formatUploadToken(random())),
    () => ({ Cookie: cookie }),
  ]
  for (let count = 0; count < 25; count += 1) {
    for (const one of wrong) assert.equal((await from('192.0.2.1', one())).status, 401)
  }
  for (const one of wrong) {
    const refused = await from('192.0.2.1', one())
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_requests'])
    assert.equal(refused.headers.get('Retry-After'), '1')
    assert.equal((await from('192.0.2.2', one())).status, 401)
  }
  assert.equal((await from('192.0.2.1', bearer(ADMIN_KEY))).status, 200)
  // A request without a key is not an attempt to guess one.
  assert.equal((await from('192.0.2.1', {})).status, 401)
  setClock(service, 2_000)
  assert.equal((await from('192.0.2.1', bearer('mistyped'))).status, 401)
})

test('without a limit, responses have no rate limit headers', async (t) => {
  const service = await aKeyedService(t)
  const { headers } = await callerWith(service.baseUrl, ADMIN_KEY)('GET', `${API}/account`)
  assert.deepEqual(limitHeaders(headers), [null, null, null, null])
})

function limitHeaders(headers: Headers): (string | null)[] {
  const names = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After']
  return names.map((name) => headers.get(name))
}

/** In seconds since 1970, as in the header. */
function resetsAt(afterSeconds: number): string {
  return String(MINUTE / 1000 + afterSeconds)
}
