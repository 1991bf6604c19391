import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { REMOVED_TABLES } from '@stowage/server/src/database/shared/account-removal'
import { openDatabase } from '@stowage/server/src/engines/open-engines'
import { removeAccounts } from '@stowage/server/src/jobs/remove-accounts'
import { deleteAccount } from '@stowage/server/src/operations/account'
import type { Context } from '@stowage/server/src/operations/context'
import { areEmbedded } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import {
  ADMIN_KEY,
  anAccount,
  callerWith,
  finishUpload,
  sendUpload,
  type TestAccount,
} from '@stowage/testing/service/accounts'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { JOBS, NEVER, takeOverJobs } from '@stowage/testing/service/jobs'
import {
  aDeployment,
  aService,
  configOf,
  type Deployment,
  type TestService,
} from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'
import postgres from 'postgres'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * Two accounts with rows of every kind and the same names. One is deleted, and the removal is stopped before and after each
 * of its steps, as by a kill. In the end, the database and the storage are what they were before that account existed.
 */

test('a removal that is stopped at every step removes all of the account, and nothing of another', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const settings = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
  const service = await aService(t, settings, deployment)
  service.context.mail.mode = 'outbox'
  service.context.sendWebhook = async () => {
    return { status: 204, durationMs: 1, error: null, response: '', retryAfter: null }
  }
  const context = await takeOverJobs(service)
  await populate(service, await anAccount(service, { name: 'staying' }))
  await settle(context)
  const before = await readRows(t, deployment)
  const objects = await service.backdoor.readObjects()

  const leaving = await anAccount(service, { name: 'leaving' })
  await populate(service, leaving)
  const filled = await readRows(t, deployment)
  const unfilled = REMOVED_TABLES.filter(
    (table) => countOf(filled, table) <= countOf(before, table),
  )
  assert.deepEqual(unfilled, MAY_BE_EMPTY)

  await deleteAccount(context, 'leaving', { afterMs: 60_000 })
  await removeAccounts(context, NEVER)
  assert.ok(await context.database.findAccount('leaving'), 'removed within the grace period')
  await deleteAccount(context, 'leaving', { afterMs: 0 })

  let stops = 0
  for (let step = 0; ; step += 1) {
    const isAfter = step % 2 === 1
    const cut = cutAt(context, Math.floor(step / 2), isAfter)
    await removeAccounts(cut.context, NEVER).catch((error: unknown) => {
      if (!(error instanceof Stopped)) throw error
    })
    if (!cut.hasStopped()) break
    stops += 1
    const account = await context.database.findAccount('leaving')
    if (account === undefined) break
    if (account.removalStartedAt !== null) {
      assert.equal(await context.database.resumeAccount(account.id), 'removal_started')
      await context.database.releaseAccountRemoval(account.id)
    }
  }
  t.diagnostic(`${stops} stops`)
  assert.ok(stops > 20, `${stops}`)
  assert.equal(await context.database.findAccount('leaving'), undefined)
  await settle(context)
  const after = await readRows(t, deployment)
  for (const [table, rows] of before) assert.deepEqual(after.get(table), rows, table)
  assert.deepEqual(await service.backdoor.readObjects(), objects)
  const text = JSON.stringify([...after])
  assert.ok(!text.includes(leaving.id) && !text.includes(leaving.id.replaceAll('-', '')))
  assert.equal((await leaving.call('GET', `${API}/assets`)).status, 401)
})

/** More than the steps of a removal, so that it takes some seconds. */
const LINKS = 3_000
/** When the process is killed, by what the account still has. Each comes after the one before. */
const KILLS: [string, (left: Left) => boolean][] = [
  ['some assets are deleted', ({ ready }) => ready < LINKS],
  ['most assets are deleted', ({ ready }) => ready < LINKS / 3],
  ['the rows of some deleted assets are removed', ({ assets }) => assets < LINKS],
  ['some events are removed', ({ assets, events }) => assets === 0 && events < LINKS],
]

test('a process that is killed in the middle of a removal leaves the rest to the next one, and nothing of another account is touched', async (t) => {
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const settings = {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: ADMIN_KEY,
    STOWAGE_CHECKSUMS: 'off',
    STOWAGE_WEBHOOK_TARGETS: 'any',
  }
  const service = await aService(t, settings, deployment)
  service.context.mail.mode = 'outbox'
  const receiver = await aWebhookReceiver(t)
  const staying = await anAccount(service, { name: 'staying' })
  await populate(service, staying, receiver.url)
  await JOBS.continueFolderMoves(service.context)
  await JOBS.continueBulkJobs(service.context)
  await JOBS.continueDeletions(service.context)
  await until('the webhook has every event', async () => {
    return (await service.context.database.readState()).webhookBacklog === 0
  })
  const context = await takeOverJobs(service)
  await settle(context)
  const before = await readRows(t, deployment)
  const objects = await service.backdoor.readObjects()

  const leaving = await anAccount(service, { name: 'leaving' })
  await populate(service, leaving, receiver.url)
  await addLinks(context, leaving.id)
  await deleteAccount(context, 'leaving', { afterMs: 0 })
  await service.close()

  const config = configOf({ ...settings, ...deployment.settings })
  const sql = await openSql(t, deployment)
  const readLeft = async (): Promise<Left> => {
    const own = "account_id = (select id from accounts where name = 'leaving')"
    const [row] = await sql(`select
      (select count(*) from assets where ${own} and status = 'ready') as ready,
      (select count(*) from assets where ${own}) as assets,
      (select count(*) from events where ${own}) as events,
      (select count(*) from accounts where name = 'leaving') as accounts`)
    const { ready, assets, events, accounts } = row ?? {}
    return {
      ready: Number(ready),
      assets: Number(assets),
      events: Number(events),
      accounts: Number(accounts),
    }
  }
  const killed: string[] = []
  for (const [description, isReached] of KILLS) {
    const running = await aServiceProcess(t, settings, deployment)
    await until(description, async () => isReached(await readLeft()))
    await running.stop('SIGKILL')
    const left = await readLeft()
    if (left.accounts === 0) break
    killed.push(JSON.stringify(left))
    // The next instance waits for a minute, in case that the killed one was only slow.
    const database = await openDatabase(config, { migrate: 'off' })
    await database.releaseAccountRemoval(leaving.id)
    await database.close()
  }
  t.diagnostic(`killed with ${killed.join(', ')}`)
  assert.ok(killed.length > 1, 'the removal ended before the process was killed')
  const last = await aServiceProcess(t, settings, deployment)
  await until('the account is removed', async () => (await readLeft()).accounts === 0)
  assert.equal(
    (await callerWith(last.baseUrl, leaving.keys.manage.secret)('GET', `${API}/assets`)).status,
    401,
  )
  const own = await callerWith(last.baseUrl, staying.keys.manage.secret)('GET', `${API}/assets`)
  assert.equal(own.status, 200)
  await last.stop('SIGTERM')

  // Objects that are due later are removed now.
  await settle(await takeOverJobs(await aService(t, settings, deployment)))
  const after = await readRows(t, deployment)
  for (const [table, rows] of before) assert.deepEqual(after.get(table), rows, table)
  assert.deepEqual(await service.backdoor.readObjects(), objects)
  const text = JSON.stringify([...after])
  assert.ok(!text.includes(leaving.id) && !text.includes(leaving.id.replaceAll('-', '')))
})

/** How many rows the account that is removed still has. */
interface Left {
  ready: number
  assets: number
  events: number
  accounts: number
}

async function addLinks({ database, newId }: Context, accountId: string): Promise<void> {
  const records = await database.listRecords(undefined, 1000)
  const link = records.find(
    ({ asset }) => asset.accountId === accountId && asset.filename === 'link',
  )
  assert.ok(link)
  const copy = () => ({ ...link, asset: { ...link.asset, id: newId() } })
  await database
    .of(accountId)
    .importRecords({ keys: [], assets: Array.from({ length: LINKS }, copy) })
}

/** Returns a function that runs a statement. */
async function openSql(t: TestContext, { folder, settings }: Deployment) {
  if (areEmbedded) {
    const database = new DatabaseSync(join(folder, 'stowage.db'), { readOnly: true })
    cleanUp(t, () => database.close())
    return async (text: string) => database.prepare(text).all()
  }
  const sql = postgres(settings.STOWAGE_DATABASE ?? '', { max: 1, onnotice: () => {} })
  cleanUp(t, () => sql.end())
  return async (text: string): Promise<Record<string, unknown>[]> => [...(await sql.unsafe(text))]
}

/** Tables that the calls of this test leave without rows of the account, because the service empties them at once. */
const MAY_BE_EMPTY = ['folder_move_exceptions', 'trash_exceptions']

class Stopped extends Error {}

/** The same context, whose database stops before or after its call with this number. */
function cutAt(context: Context, at: number, isAfter: boolean) {
  let calls = 0
  let isStopped = false
  const cut = <Port extends object>(port: Port): Port =>
    new Proxy(port, {
      get(target, name) {
        const method = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        if (name === 'of') return (...given: unknown[]) => cut(method.apply(target, given))
        return async (...given: unknown[]) => {
          if (isStopped) throw new Stopped()
          const isHere = calls === at
          calls += 1
          if (isHere) isStopped = true
          if (isHere && !isAfter) throw new Stopped()
          const result = await method.apply(target, given)
          if (isHere) throw new Stopped()
          return result
        }
      },
    })
  const database = cut(context.database)
  return { context: { ...context, database }, hasStopped: () => isStopped }
}

async function settle(context: Context): Promise<void> {
  await JOBS.removeObjects(context)
  await JOBS.removeObjects(context)
}

/** Makes calls that create rows in every table of an account. */
async function populate(
  service: TestService,
  { call, id }: TestAccount,
  url = 'https://example.com/hook',
): Promise<void> {
  const create = async (method: string, path: string, body?: unknown) => {
    const response = await call(method, API + path, body)
    assert.ok(response.status < 300, `${method} ${path}: ${response.text}`)
    return response.body
  }
  const send = (name: string, path?: string) =>
    sendUpload(
      call,
      { name, bytes: Buffer.from(name), ...(path && { path }) },
      {
        'Idempotency-Key': name,
      },
    )
  const products = {
    products: [{ name: 'Pack', product_id: 1, variant_id: 11, sku: 'P', tags: ['a'] }],
  }
  await create('PUT', '/products', products)
  await create('PUT', '/products', {
    products: [{ name: 'Without IDs', handle: 'without', variant_name: 'WAV' }],
  })
  const [file, trashed, deleted] = [
    await finishUpload(call, await send('a.zip', 'course/one')),
    await finishUpload(call, await send('b.zip')),
    await finishUpload(call, await send('c.zip')),
  ]
  await create('POST', `/assets/${file.id}/attach`, { product_ids: [1] })
  await create('POST', `/assets/${trashed.id}/attach`, { product_ids: [1] })
  await create('POST', '/assets/bulk', { action: 'tag', ids: [file.id], tags: ['sale'] })
  for (const name of ['a2.zip', 'a3.zip']) await replace(call, file.id, name)
  await create('DELETE', `/assets/${file.id}/versions/1`)
  await create('DELETE', `/assets/${trashed.id}`)
  await create('DELETE', `/assets/${deleted.id}?permanent=true`)
  await create('POST', '/assets/store', { filename: 'link', url: 'https://example.com/x' })
  await send('unfinished.zip')
  const [product] = (await create('GET', '/products?sku=P')).data
  await create('PUT', `/products/${product.id}/assets`, { assets: [file.id] })
  const order = await create('POST', '/orders', {
    reference: '1001',
    email: 'buyer@example.com',
    lines: [{ product_id: 1, variant_id: 11 }],
    assets: [file.id],
    notify: true,
  })
  await create('POST', `/orders/${order.data.id}/downloads`, { asset: file.id })
  await create('POST', `/assets/${file.id}/notify`, {})
  await create('PUT', '/account/branding', { name: 'Shop' })
  await create('PUT', '/account/mail-texts', { reply_to: 'shop@example.com' })
  await create('POST', '/archives', { ids: [file.id] })
  await create('POST', '/upload-tokens', { max_bytes: 100 })
  await create('POST', '/session', {})
  const keyed = { 'Idempotency-Key': 'key-1' }
  await call('POST', `${API}/keys`, { name: 'once', scope: 'read' }, keyed)
  const webhook = await create('POST', '/webhooks', { url })
  const webhookId = webhook.data?.id ?? webhook.id
  await create('POST', `/webhooks/${webhookId}/ping`)
  await create('POST', '/folders/move', { from: 'course/one', to: 'course/two' })
  await create('POST', '/bulk', {
    action: 'tag',
    tags: ['all'],
    filter: { type: 'link' },
    expected: 1,
  })
  await JOBS.continueBulkJobs(service.context)
  await service.context.database.of(id).unsubscribe('buyer@example.com')
}

async function replace(call: TestAccount['call'], id: string, name: string): Promise<void> {
  const bytes = Buffer.from(name)
  const request = { name, size: bytes.length, mime: 'application/zip' }
  const session = (await call('POST', `${API}/assets/${id}/signed`, request)).body
  await fetch(session.urls?.[0]?.url ?? session.upload_url, { method: 'PUT', body: bytes })
  const done = await call('POST', `${API}/assets/${id}/uploaded`, { upload_id: session.upload_id })
  assert.equal(done.status, 200, done.text)
}

type Rows = Map<string, string[]>

/** The number of rows of a table. */
function countOf(rows: Rows, table: string): number {
  return rows.get(table)?.length ?? 0
}

/** Tables of the service as a whole, and of a minute. */
const SHARED = [
  'migrations',
  'identity',
  'instances',
  'request_counts',
  'link_requests',
  'sqlite_sequence',
]
/** Columns that jobs and reads change. */
const VOLATILE = ['event_bytes', 'counted_event', 'last_used_at', 'due_at', 'seq', 'rowid']

/** All rows of the database, as sorted texts. */
async function readRows(t: TestContext, { folder, settings }: Deployment): Promise<Rows> {
  const tables = areEmbedded
    ? readSqlite(folder)
    : await readPostgres(settings.STOWAGE_DATABASE ?? '')
  const rows: Rows = new Map()
  for (const [table, found] of tables) {
    if (SHARED.includes(table) || /_fts|_index|_data|_idx|_content|_docsize|_config/.test(table))
      continue
    const texts = found.map((row) => {
      const stable = Object.entries(row).filter(([name]) => !VOLATILE.includes(name))
      return JSON.stringify(Object.fromEntries(stable), (_name, value) =>
        typeof value === 'bigint' ? `${value}` : value,
      )
    })
    rows.set(table, texts.sort())
  }
  assert.ok(rows.size > 20, `${rows.size} tables`)
  t.diagnostic(`${[...rows.values()].flat().length} rows`)
  return rows
}

type Table = [string, Record<string, unknown>[]]

function readSqlite(folder: string): Table[] {
  const database = new DatabaseSync(join(folder, 'stowage.db'), { readOnly: true })
  const tables = database
    .prepare(`select name from sqlite_schema where type = 'table' order by name`)
    .all()
  const rows = tables.map(({ name }): Table => {
    const all = database.prepare(`select * from "${name}"`)
    // Provisional product IDs have 53 bits.
    all.setReadBigInts(true)
    return [String(name), all.all()]
  })
  database.close()
  return rows
}

async function readPostgres(url: string): Promise<Table[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    const tables = await sql<{ name: string }[]>`
      select tablename as name from pg_tables where schemaname = 'public' order by 1`
    const rows: Table[] = []
    for (const { name } of tables) rows.push([name, [...(await sql`select * from ${sql(name)}`)]])
    return rows
  } finally {
    await sql.end()
  }
}
