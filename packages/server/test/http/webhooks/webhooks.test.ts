import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Webhook, WebhookWithSecret } from '@stowage/protocol'
import { ADMIN_KEY, aKeyedService, type Call, callerWith } from '@stowage/testing/service/accounts'
import { takeOverJobs } from '@stowage/testing/service/jobs'
import { aDeployment, aService, type Deployment } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { readConfig } from '../../../src/config/config.ts'
import { openConnection } from '../../../src/database/postgres/connection.ts'

/* Runs on sqlite+disk and postgres+disk. */

const WEBHOOKS = `${API}/webhooks`
const URL_ = 'https://shop.example/hook'

async function createWebhook(call: Call, body: object = {}): Promise<WebhookWithSecret> {
  const response = await call('POST', WEBHOOKS, { url: URL_, ...body })
  assert.equal(response.status, 201, response.text)
  assert.equal(response.headers.get('cache-control'), 'no-store')
  return response.body.data
}

async function listWebhooks(call: Call): Promise<Webhook[]> {
  const response = await call('GET', WEBHOOKS)
  assert.equal(response.status, 200, response.text)
  return response.body.data
}

/** Calls a service that sends nothing to its webhooks, because the hosts of these tests do not exist. */
async function anAdmin(t: Parameters<typeof aKeyedService>[0]): Promise<Call> {
  const service = await aKeyedService(t)
  await takeOverJobs(service)
  return callerWith(service.baseUrl, ADMIN_KEY)
}

test('a webhook can be created, read, changed, disabled, enabled and deleted', async (t) => {
  const call = await anAdmin(t)
  const { secret, ...webhook } = await createWebhook(call, { types: ['asset.ready'] })
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.deepEqual(webhook, {
    id: webhook.id,
    url: URL_,
    description: '',
    types: ['asset.ready'],
    enabled: true,
    disabled_reason: null,
    disabled_at: null,
    failing_since: null,
    pending: 0,
    missed_events: 0,
    missed_at: null,
    previous_secret_valid_until: null,
    created_at: webhook.created_at,
    updated_at: webhook.created_at,
  })
  const path = `${WEBHOOKS}/${webhook.id}`
  assert.deepEqual(await listWebhooks(call), [webhook])
  assert.deepEqual((await call('GET', path)).body.data, webhook)

  const changes = { url: 'http://shop.example:8080/?a=b', types: null, description: 'shop' }
  const changed = (await call('PUT', path, changes)).body.data
  assert.deepEqual(changed, { ...webhook, ...changes, updated_at: changed.updated_at })
  const disabled = (await call('PATCH', path, { enabled: false })).body.data
  assert.deepEqual([disabled.enabled, disabled.disabled_reason], [false, 'manual'])
  assert.ok(Math.abs(Date.parse(disabled.disabled_at) - Date.now()) < 60_000)
  const enabled = (await call('PUT', path, { enabled: true })).body.data
  assert.deepEqual(enabled, { ...changed, updated_at: enabled.updated_at })
  const unchanged = (await call('PUT', path, {})).body.data
  assert.deepEqual(unchanged, { ...enabled, updated_at: unchanged.updated_at })

  const deleted = await call('DELETE', path)
  assert.deepEqual([deleted.status, deleted.body], [202, { deleted: true }])
  for (const [method, rest] of [
    ['GET', ''],
    ['PUT', ''],
    ['DELETE', ''],
    ['POST', '/rotate'],
    ['POST', '/ping'],
    ['GET', '/deliveries'],
  ] as const) {
    const response = await call(method, path + rest, method === 'PUT' ? {} : undefined)
    assert.deepEqual([response.status, response.body.code], [404, 'not_found'], method + rest)
  }
  assert.deepEqual(await listWebhooks(call), [])
})

test('a secret is returned only when it is created', async (t) => {
  const call = await anAdmin(t)
  const { id, secret } = await createWebhook(call)
  const rotated = await call('POST', `${WEBHOOKS}/${id}/rotate`)
  assert.equal(rotated.headers.get('cache-control'), 'no-store')
  const second = rotated.body.data.secret
  assert.notEqual(second, secret)
  const validForMs = Date.parse(rotated.body.data.previous_secret_valid_until) - Date.now()
  assert.ok(Math.abs(validForMs - 24 * 3_600_000) < 60_000, `${validForMs}`)
  for (const response of [
    await call('GET', WEBHOOKS),
    await call('GET', `${WEBHOOKS}/${id}`),
    await call('PUT', `${WEBHOOKS}/${id}`, { description: 'x' }),
  ]) {
    assert.equal(response.status, 200)
    for (const text of [secret, second]) assert.ok(!response.text.includes(text.slice(6, 40)))
  }
})

test('an account has at most 20 webhooks, even if they are created at the same time', async (t) => {
  const call = await anAdmin(t)
  const created = await Promise.all(
    Array.from({ length: 25 }, () => call('POST', WEBHOOKS, { url: URL_ })),
  )
  const refused = created.filter(({ status }) => status !== 201)
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body.code]),
    Array.from({ length: 5 }, () => [409, 'too_many_webhooks']),
  )
  const [first] = await listWebhooks(call)
  await call('DELETE', `${WEBHOOKS}/${first?.id}`)
  await createWebhook(call)
})

test('invalid webhooks are refused and not created', async (t) => {
  const call = await anAdmin(t)
  const { id } = await createWebhook(call)
  const bad: [string, unknown][] = [
    ['url', {}],
    ['url', { url: '' }],
    ['url', { url: 5 }],
    ['url', { url: 'shop.example' }],
    ['url', { url: 'ftp://shop.example' }],
    ['url', { url: 'https://user:password@shop.example' }],
    ['url', { url: 'https://shop.example/#fragment' }],
    ['url', { url: `https://shop.example/${'x'.repeat(2048)}` }],
    ['url', { url: 'https://shop.example/a b' }],
    ['types', { url: URL_, types: [] }],
    ['types', { url: URL_, types: 'asset.ready' }],
    ['types.0', { url: URL_, types: ['asset.exploded'] }],
    ['description', { url: URL_, description: 'x'.repeat(256) }],
    ['description', { url: URL_, description: 'a\u0000b' }],
  ]
  for (const [field, body] of bad) {
    const response = await call('POST', WEBHOOKS, body)
    assert.deepEqual([response.status, response.body.code], [422, 'invalid'], JSON.stringify(body))
    assert.ok(response.body.errors[field], `${field}: ${response.text}`)
  }
  const response = await call('PUT', `${WEBHOOKS}/${id}`, { enabled: 'perhaps' })
  assert.ok(response.body.errors.enabled, response.text)
  assert.equal((await listWebhooks(call)).length, 1)
})

test('private addresses are refused, unless any target is allowed', async (t) => {
  const call = await anAdmin(t)
  const { id } = await createWebhook(call)
  const open = await aService(t)
  await takeOverJobs(open)
  const urls = [
    'http://127.0.0.1/',
    'http://localhost:3000/hook',
    'http://10.1.2.3/',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/',
    'http://[::ffff:192.168.0.1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://shop.localhost./',
  ]
  for (const url of urls) {
    const created = await call('POST', WEBHOOKS, { url })
    const changed = await call('PUT', `${WEBHOOKS}/${id}`, { url })
    for (const response of [created, changed]) {
      assert.deepEqual([response.status, response.body.code], [422, 'invalid'], url)
      assert.match(response.body.errors.url[0], /private, loopback or link-local/)
    }
    assert.equal((await open.call('POST', WEBHOOKS, { url })).status, 201, url)
  }
})

test('the secrets of a webhook are stored encrypted, and occur in no table of the database', async (t) => {
  const deployment = await aDeployment(t)
  const { call, context } = await aService(t, {}, deployment)
  const created = await call('POST', WEBHOOKS, { url: URL_ })
  const rotated = await call('POST', `${WEBHOOKS}/${created.body.data.id}/rotate`)
  const secrets = [created, rotated].map(({ body }) => body.data.secret)
  const [webhook] = await context.database.listAllWebhooks(undefined, 1)
  const stored = [webhook?.secret, ...(webhook?.previousSecrets.map(({ secret }) => secret) ?? [])]
  for (const text of stored) assert.match(text ?? '', /^sealed:[0-9a-f]{16}:/)
  const tables = await readTables(deployment)
  for (const text of stored) assert.ok(tables.includes(text ?? 'missing'))
  for (const secret of secrets) {
    assert.match(secret, /^whsec_/)
    assert.ok(!tables.includes(secret.slice(6)), 'a secret is stored in plain text')
  }
})

/** All rows of all tables, as text. */
async function readTables({ folder, settings }: Deployment): Promise<string> {
  const url = settings.STOWAGE_DATABASE ?? 'sqlite'
  if (url === 'sqlite') {
    const database = new DatabaseSync(join(folder, 'stowage.db'), { readOnly: true })
    const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
    const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${name}"`).all())
    database.close()
    return JSON.stringify(rows)
  }
  const config = readConfig({ ...settings })
  if (config.database.kind === 'sqlite') assert.fail()
  const { sql, close } = openConnection(config.database)
  const tables = await sql`select tablename from pg_tables where schemaname = current_schema()`
  const rows = await Promise.all(
    tables.map(({ tablename }) => sql`select row_to_json(t) from ${sql(tablename)} t`),
  )
  await close()
  return JSON.stringify(rows)
}
