import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Key } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  type Call,
  callerWith,
  KEYS,
  requestKey,
} from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import { forgetRevokedKeys } from '../../../src/jobs/schedule.ts'
import { forAccount } from '../../../src/operations/context.ts'
import { createKey } from '../../../src/operations/keys.ts'
import { sendExactly } from '../../support/exact-request.ts'

const KEY_SHAPE = /^stow_[0-9A-Za-z]{49}$/

async function listKeys(call: Call): Promise<Key[]> {
  const response = await call('GET', KEYS)
  assert.equal(response.status, 200, response.text)
  return response.body.data
}

test('a key can be created, used within its scope, listed and revoked', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  const admin = callerWith(baseUrl, ADMIN_KEY)
  assert.deepEqual(await listKeys(admin), [])
  const { secret, ...key } = await requestKey(admin, 'read', '  reporting ')
  assert.match(secret, KEY_SHAPE)
  assert.ok(Math.abs(Date.parse(key.created_at) - Date.now()) < 60_000)
  assert.deepEqual(key, {
    id: key.id,
    name: 'reporting',
    scope: 'read',
    hint: `stow_…${secret.slice(-4)}`,
    created_at: key.created_at,
    expires_at: null,
    last_used_at: null,
    revoked_at: null,
  })
  assert.deepEqual(await listKeys(admin), [key])

  const call = callerWith(baseUrl, secret)
  assert.equal((await call('GET', `${API}/account`)).body.data.name, 'default')
  assert.equal((await call('GET', KEYS)).status, 403)

  const revoked = await admin('DELETE', `${KEYS}/${key.id}`)
  assert.deepEqual([revoked.status, revoked.body], [200, { revoked: true }])
  const refused = await call('GET', `${API}/account`)
  assert.deepEqual([refused.status, refused.body.code], [401, 'unauthenticated'])
  const [listed] = await listKeys(admin)
  assert.ok(Math.abs(Date.parse(listed?.revoked_at ?? '') - Date.now()) < 60_000)

  const again = await admin('DELETE', `${KEYS}/${key.id}`)
  assert.deepEqual([again.status, again.body], [200, { revoked: true }])
  assert.deepEqual((await listKeys(admin))[0]?.revoked_at, listed?.revoked_at)
})

test('keys are listed oldest first, and every secret is different', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  const admin = callerWith(baseUrl, ADMIN_KEY)
  const created = []
  for (const scope of ['write', 'read', 'manage', 'read'] as const) {
    created.push(await requestKey(admin, scope, 'the same name'))
  }
  assert.deepEqual(
    (await listKeys(admin)).map(({ id }) => id),
    created.map(({ id }) => id),
  )
  assert.equal(new Set(created.map(({ secret }) => secret)).size, created.length)
})

test('a key without a name or with an unknown scope is refused and not created', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  const admin = callerWith(baseUrl, ADMIN_KEY)
  const bad: [string, unknown][] = [
    ['name', { scope: 'read' }],
    ['name', { name: '', scope: 'read' }],
    ['name', { name: '   ', scope: 'read' }],
    ['name', { name: 'a\u0000b', scope: 'read' }],
    ['name', { name: 'x'.repeat(256), scope: 'read' }],
    ['name', { name: 5, scope: 'read' }],
    ['scope', { name: 'a' }],
    ['scope', { name: 'a', scope: 'admin' }],
    ['scope', { name: 'a', scope: 'public' }],
    ['scope', { name: 'a', scope: ['read'] }],
    ['expires_at', { name: 'a', scope: 'read', expires_at: 'tomorrow' }],
    ['expires_at', { name: 'a', scope: 'read', expires_at: 1_900_000_000 }],
    ['expires_at', { name: 'a', scope: 'read', expires_at: '' }],
    ['expires_at', { name: 'a', scope: 'read', expires_at: '2020-01-01T00:00:00Z' }],
  ]
  for (const [field, body] of bad) {
    const response = await admin('POST', KEYS, body)
    assert.deepEqual([response.status, response.body.code], [422, 'invalid'], JSON.stringify(body))
    assert.ok(response.body.errors[field], response.text)
  }
  assert.deepEqual(await listKeys(admin), [])
})

test('only the response that creates a key contains its secret', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const created = await call('POST', KEYS, { name: 'once', scope: 'manage' })
  const { id, secret } = created.body.data
  assert.equal(created.headers.get('cache-control'), 'no-store')
  const own = callerWith(service.baseUrl, secret)
  const later = [
    await own('GET', KEYS),
    await own('POST', KEYS, { name: 'once', scope: 'read' }),
    await own('POST', KEYS, { name: '', scope: 'read' }),
    await own('GET', `${KEYS}/${id}`),
    await own('DELETE', `${KEYS}/${id}`),
    await own('GET', KEYS),
    await call('GET', KEYS),
  ]
  assert.deepEqual(
    later.map(({ status }) => status),
    [200, 201, 422, 405, 200, 401, 200],
  )
  for (const { text, headers } of later) {
    assert.ok(!`${text}${[...headers.values()]}`.includes(secret.slice(5, 48)), text)
  }
})

test('the last use of a key is recorded to the minute, including refused requests', async (t) => {
  const { baseUrl, context } = await aKeyedService(t)
  const admin = callerWith(baseUrl, ADMIN_KEY)
  const { secret } = await requestKey(admin, 'read')
  const call = callerWith(baseUrl, secret)
  const start = Date.UTC(2030, 0, 1, 12)
  const lastUsed = async (afterMs: number) => {
    context.clock = () => new Date(start + afterMs)
    await call('POST', KEYS, {})
    return Date.parse((await listKeys(admin))[0]?.last_used_at ?? '') - start
  }
  assert.equal(await lastUsed(0), 0)
  assert.equal(await lastUsed(59_999), 0)
  assert.equal(await lastUsed(60_000), 60_000)
  assert.equal(await lastUsed(86_400_000), 86_400_000)
})

test('the last manage key cannot be revoked; of two manage keys, either can be revoked, but not both', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  const admin = callerWith(baseUrl, ADMIN_KEY)
  const first = await requestKey(admin, 'manage')
  await requestKey(admin, 'write')
  const own = callerWith(baseUrl, first.secret)
  for (const call of [own, admin]) {
    const refused = await call('DELETE', `${KEYS}/${first.id}`)
    assert.deepEqual([refused.status, refused.body.code], [409, 'last_manage_key'])
  }
  assert.equal((await own('GET', KEYS)).status, 200)
  const second = await requestKey(own, 'manage')
  const racing = await Promise.all(
    [first, second].map(({ id }) => admin('DELETE', `${KEYS}/${id}`)),
  )
  assert.deepEqual(racing.map(({ status }) => status).sort(), [200, 409])
  const left = (await listKeys(admin)).filter((key) => key.scope === 'manage' && !key.revoked_at)
  assert.equal(left.length, 1)
})

test('the admin key is a manage key of the default account, and similar keys are refused', async (t) => {
  const service = await aKeyedService(t)
  await anAccount(service, { name: 'another account' })
  const admin = callerWith(service.baseUrl, ADMIN_KEY)
  assert.equal((await admin('GET', `${API}/account`)).body.data.name, 'default')
  assert.deepEqual(await listKeys(admin), [])
  const wrong = [
    ADMIN_KEY.slice(0, -1),
    `${ADMIN_KEY}x`,
    ADMIN_KEY.toUpperCase(),
    `x${ADMIN_KEY.slice(1)}`,
    createHash('sha256').update(ADMIN_KEY).digest('hex'),
  ]
  for (const key of wrong) {
    const { status } = await callerWith(service.baseUrl, key)('GET', `${API}/account`)
    assert.equal(status, 401, key)
  }
})

test('if no admin key is set, requests without a key or with an unknown key are refused', async (t) => {
  const { baseUrl } = await aKeyedService(t, { STOWAGE_ADMIN_KEY: undefined })
  for (const key of [undefined, 'undefined', 'null', ADMIN_KEY]) {
    assert.equal((await callerWith(baseUrl, key)('GET', `${API}/account`)).status, 401)
  }
})

test('Bearer is accepted in upper and lower case, and an invalid Authorization header is refused', async (t) => {
  const service = await aKeyedService(t)
  const { keys } = await anAccount(service, { name: 'default' })
  const { secret } = keys.read
  const statusWith = async (authorization: string) => {
    const headers = { Authorization: authorization }
    const exact = { method: 'GET', path: `${API}/account`, headers }
    const { status, body } = await sendExactly(service.baseUrl, exact)
    if (status !== 200) assert.equal(body.code, 'unauthenticated')
    return status
  }
  for (const word of ['Bearer', 'bearer', 'BEARER', 'bEaReR']) {
    assert.equal(await statusWith(`${word} ${secret}`), 200, word)
  }
  const malformed = [
    '',
    'Bearer',
    'Bearer ',
    secret,
    `Bearer${secret}`,
    `Basic ${secret}`,
    `Basic ${Buffer.from(`${secret}:`).toString('base64')}`,
    `Token ${secret}`,
    `Bearer Bearer ${secret}`,
    `Bearer ${secret} ${secret}`,
    `Bearer ${secret},${secret}`,
    `Bearer "${secret}"`,
    `Bearer ${secret}\u00e9`,
    `Bearer ${secret.toLowerCase()}`,
    `Bearer ${secret.slice(5)}`,
    `Bearer ${keys.read.id}`,
    `Bearer ${createHash('sha256').update(secret).digest('hex')}`,
    `Bearer ' or 1=1 --`,
    `Bearer ${'x'.repeat(8000)}`,
    `Bearer ${' '.repeat(8000)}`,
  ]
  for (const text of malformed) assert.equal(await statusWith(text), 401, text.slice(0, 80))
})

test('a request without a key is refused before its body is parsed', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  for (const body of ['{', '', 'x'.repeat(200_000)]) {
    const headers = { 'Content-Type': 'application/json' }
    const response = await sendExactly(baseUrl, { method: 'POST', path: KEYS, headers, body })
    assert.deepEqual([response.status, response.body.code], [401, 'unauthenticated'])
  }
})

test('an account can have 100 active keys, and revoked ones do not count', async (t) => {
  const service = await aKeyedService(t)
  const { call, keys } = await anAccount(service, { name: 'shop' })
  for (let count = 3; count < 100; count += 1) await requestKey(call, 'read')
  const request = { name: 'one more', scope: 'read' }
  const refused = await call('POST', KEYS, request)
  assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_keys'])
  await call('DELETE', `${KEYS}/${keys.read.id}`)
  assert.equal((await call('POST', KEYS, request)).status, 201)
  assert.equal((await call('POST', KEYS, request)).status, 409)
})

test('a revoked key is listed for 90 days, and its events keep its name', async (t) => {
  const service = await aKeyedService(t)
  const { context } = service
  const { call, keys } = await anAccount(service, { name: 'shop' })
  const { id } = await requestKey(call, 'read', 'the old backend')
  const now = context.clock
  context.clock = () => new Date(Date.now() - 91 * 24 * 3_600_000)
  await call('DELETE', `${KEYS}/${id}`)
  context.clock = () => new Date(Date.now() - 89 * 24 * 3_600_000)
  await call('DELETE', `${KEYS}/${keys.read.id}`)
  context.clock = now
  await forgetRevokedKeys(context, new AbortController().signal)
  const listed = (await call('GET', KEYS)).body.data.map((key: { id: string }) => key.id)
  assert.ok(!listed.includes(id) && listed.includes(keys.read.id))
  const { body } = await call('GET', `${API}/events?type=key.revoked`)
  assert.equal(body.data[0].data.name, 'the old backend')
})

test('a key works until it expires; then it, its session and its upload tokens are refused', async (t) => {
  const service = await aKeyedService(t)
  const { context, baseUrl } = service
  const { call, id } = await anAccount(service, { name: 'shop' })
  const request = { name: 'agency', scope: 'write', expires_at: '2100-01-01T00:00:00Z' }
  const created = await call('POST', KEYS, request)
  assert.equal(created.body.data.expires_at, '2100-01-01T00:00:00.000Z')
  const limited = callerWith(baseUrl, created.body.data.secret)
  assert.equal((await limited('GET', `${API}/account`)).status, 200)
  const listed = (await listKeys(call)).find((key) => key.id === created.body.data.id)
  assert.equal(listed?.expires_at, '2100-01-01T00:00:00.000Z')

  // Such a key cannot be created by the API: it has expired by the database's clock already.
  const expiresAt = new Date(context.clock().getTime() + 1000)
  const late = { ...context, clock: () => new Date(0) }
  const details = { name: 'short', scope: 'write', expiresAt: new Date(1) } as const
  const expired = await createKey(forAccount(late, id), details)
  const refused = await callerWith(baseUrl, expired.secret)('GET', `${API}/account`)
  assert.deepEqual([refused.status, refused.body.code], [401, 'key_expired'], refused.text)
  assert.match(refused.body.message, /expired/)

  const short = await createKey(forAccount(context, id), { ...details, expiresAt })
  const own = callerWith(baseUrl, short.secret)
  const session = await own('POST', `${API}/session`, {})
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
  const token = (await own('POST', `${API}/upload-tokens`, { max_bytes: 10, expires_in: 600 })).body
  const uploads = callerWith(baseUrl, token.token ?? token.data?.token)
  await until('the key has expired', async () => {
    return (await own('GET', `${API}/account`)).body.code === 'key_expired'
  })
  const headers = { Cookie: cookie }
  const afterwards = await callerWith(baseUrl)('GET', `${API}/account`, undefined, headers)
  assert.deepEqual([afterwards.status, afterwards.body.code], [401, 'unauthenticated'])
  const upload = await uploads('POST', `${API}/assets/signed`, { name: 'a', size: 1 })
  assert.deepEqual([upload.status, upload.body.code], [401, 'unauthenticated'])
})
