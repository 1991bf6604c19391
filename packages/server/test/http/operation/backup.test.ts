import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { keepVersions } from '@stowage/testing/engines/s3-server'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { takeOverJobs } from '@stowage/testing/service/jobs'
import {
  aDeployment,
  anEmbeddedService,
  aService,
  configOf,
  type Deployment,
  type TestService,
} from '@stowage/testing/service/service'
import {
  API,
  download,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import postgres from 'postgres'
import { examine } from '../../../src/compose.ts'
import { type Config, readConfig } from '../../../src/config/config.ts'
import type { OrphanHandling } from '../../../src/doctor/doctor-context.ts'
import { partPlan, partRanges } from '../../../src/domain/parts.ts'
import { type BackupOptions, backup, check } from '../../../src/operator/backup.ts'
import { type RestoreOptions, restore } from '../../../src/operator/restore.ts'
import { BUYER, listMails } from '../../support/mails.ts'
import { anOrder, aSoldFile, ORDERS, press, urlOf } from '../../support/orders.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const SETTINGS = { STOWAGE_CHUNK_SIZE: '1000', STOWAGE_KEEP_VERSIONS: '2' }

function configFor({ settings }: Deployment): Config {
  return configOf({ ...SETTINGS, ...settings })
}

function backUp(config: Config, folder: string, more: Partial<BackupOptions> = {}) {
  const options = { objects: true, copy: false, keep: 7, adopt: false, version: 'test' }
  return backup(config, { folder, ...options, onProgress: () => {}, ...more })
}

function restoreTo(config: Config, folder: string, more: Partial<RestoreOptions> = {}) {
  const options = { generation: undefined, inPlace: false, verify: false }
  return restore(config, { folder, ...options, onProgress: () => {}, ...more })
}

/** The databases of the tests are copies, with one ID. Those of services have their own. */
async function aSeparateDeployment(t: TestContext): Promise<Deployment> {
  const deployment = await aDeployment(t)
  const { STOWAGE_DATABASE: url } = deployment.settings
  if (url === undefined) {
    const file = join(deployment.folder, 'stowage.db')
    if (!existsSync(file)) return deployment
    const database = new DatabaseSync(file)
    database.exec('update identity set id = lower(hex(randomblob(16)))')
    database.close()
    return deployment
  }
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql`update identity set id = md5(random()::text)`
  await sql.end()
  return deployment
}

function doctor(config: Config, orphans?: OrphanHandling) {
  const options = { fix: false, repair: false, verify: true, onProgress: () => {} }
  return Array.fromAsync(examine({ config, ...options, orphans }))
}

async function aBackupFolder(t: TestContext): Promise<string> {
  return join(await aFolder(t), 'backup')
}

/** What clients see, without the URLs of the service. */
async function stateOf({ baseUrl, call }: Pick<TestService, 'baseUrl' | 'call'>) {
  const state: Record<string, unknown> = {}
  for (const path of [
    '/assets?with_products=true&sort=created_at',
    '/assets?trashed=true',
    '/products',
    '/orders?with_assets=true',
    '/keys',
    '/webhooks',
    '/events?limit=1000',
    '/account/usage',
  ]) {
    const { status, body } = await call('GET', API + path)
    assert.equal(status, 200, path)
    state[path] = body.data
  }
  return JSON.parse(JSON.stringify(state).replaceAll(baseUrl, ''))
}

function pathOf(url: string): string {
  return new URL(url).pathname
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name))
}

/** A service with everything that a backup has to keep. */
async function aShop(t: TestContext, deployment: Deployment) {
  const service = await aService(t, SETTINGS, deployment)
  const { baseUrl, call } = service
  const { file, bytes } = await aSoldFile(service)
  await uploadFile(baseUrl, { name: 'empty.bin', bytes: Buffer.alloc(0) })
  const replaced = await uploadFile(baseUrl, { name: 'v1.bin', bytes: someBytes(10, 7) })
  const signed = await call('POST', `${API}/assets/${replaced.id}/signed`, { size: 20 })
  const newer = someBytes(20, 8)
  await fetch(signed.body.urls[0].url, { method: 'PUT', body: new Uint8Array(newer) })
  const body = { upload_id: signed.body.upload_id }
  assert.equal((await call('POST', `${API}/assets/${replaced.id}/uploaded`, body)).status, 200)
  const trashed = await uploadFile(baseUrl, { name: 'trashed.bin', bytes: someBytes(30, 9) })
  await call('DELETE', `${API}/assets/${trashed.id}`)
  await call('POST', `${API}/webhooks`, { url: 'https://example.com/hook', enabled: false })
  const order = await anOrder(service, { ...BUYER, reference: 'A-1' })
  return { service, file, bytes, replaced, newer, trashed, order }
}

test('a backup has the rows of one moment and their files, whatever happens while it runs, and is restored whole', async (t) => {
  const source = await aSeparateDeployment(t)
  const shop = await aShop(t, source)
  const { service, file, bytes, replaced, newer, trashed, order } = shop
  await requestSession(service.baseUrl, { bytes: someBytes(10), name: 'open.bin' })
  const before = await stateOf(service)
  const folder = await aBackupFolder(t)
  const changes: Promise<unknown>[] = []
  const summary = await backUp(configFor(source), folder, {
    onProgress({ part }) {
      if (part !== 1 || changes.length > 0) return
      const remove = (path: string) => service.call('DELETE', `${API}${path}?permanent=true`)
      changes.push(remove(`/assets/${file.id}`), remove(`/assets/${replaced.id}`), remove('/trash'))
    },
  })
  await Promise.all(changes)
  assert.ok(changes.length > 0)
  assert.deepEqual([summary.files, summary.bytes, summary.damagedTotal], [5, 2560, 0])
  const checked = await check(folder, () => {})
  assert.deepEqual([checked.problems, checked.files], [[], 5])
  const rows = await service.engines.database.listBackups(10)
  assert.deepEqual([rows.length, rows[0]?.result?.generation], [1, summary.generation])
  if (process.platform !== 'win32') {
    const open = (await filesBelow(folder)).map(async (path) => (await stat(path)).mode & 0o077)
    if (summary.bytesLinked === 0) assert.deepEqual(new Set(await Promise.all(open)), new Set([0]))
    assert.equal((await stat(folder)).mode & 0o777, 0o700)
  }

  const target = await aSeparateDeployment(t)
  const config = configFor(target)
  const restored = await restoreTo(config, folder, { verify: true })
  assert.deepEqual([restored.assets, restored.damaged], [4, []])
  const after = await aService(t, SETTINGS, target)
  assert.deepEqual(await stateOf(after), before)
  assert.deepEqual(await download(after.baseUrl, file.id), bytes)
  assert.deepEqual(await download(after.baseUrl, replaced.id), newer)
  const older = await fetch(`${after.baseUrl}${API}/assets/${replaced.id}/versions/1/download`)
  assert.deepEqual(Buffer.from(await older.arrayBuffer()), someBytes(10, 7))
  assert.equal((await after.call('POST', `${API}/assets/${trashed.id}/restore`)).status, 200)
  assert.deepEqual(await download(after.baseUrl, trashed.id), someBytes(30, 9))
  const url = after.baseUrl + pathOf(urlOf(order))
  assert.equal((await press({ ...order, url }, file.id)).status, 303)
  assert.equal(pathOf((await after.call('GET', `${ORDERS}/A-1`)).body.data.url), pathOf(url))
  for (const { check: name, status, message } of await doctor(config)) {
    if (!/files|usage|uploads|events|downloads|secret/.test(name)) continue
    assert.notEqual(status, 'error', `${name}: ${message}`)
  }
})

test('objects that belong to no asset are removed only after they were listed and confirmed', async (t) => {
  const source = await aSeparateDeployment(t)
  const service = await aService(t, SETTINGS, source)
  const { storage } = service.engines
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(1500) })
  const orphan = '01900000-0000-7000-8000-000000000001'
  await storage
    .createUpload({ key: orphan, id: orphan, mime: 'text/plain' })
    .then(async (upload) => {
      const [range] = partRanges(partPlan(3, 1000))
      assert.ok(range)
      const { urls } = await storage.signParts(
        { key: orphan, id: upload },
        [range],
        new Date(Date.now() + 60_000),
      )
      await fetch(urls[0] ?? '', { method: 'PUT', body: 'abc' })
      await storage.completeUpload({ key: orphan, id: upload }, partPlan(3, 1000), [])
    })
  for (const answer of [false, true]) {
    const listed: string[] = []
    const confirm = async (objects: string[]) => {
      listed.push(...objects)
      return answer
    }
    await doctor(configFor(source), { kind: 'remove', confirm })
    assert.equal(listed.length, 1)
    assert.match(listed[0] ?? '', new RegExp(`${orphan} \\(3 B\\)$`))
    assert.equal((await storage.findObject(orphan)) === undefined, answer)
  }
  assert.deepEqual(await download(service.baseUrl, id), someBytes(1500))
})

test('a second backup copies only new files, and old generations are removed with the files that only they have', async (t) => {
  const source = await aSeparateDeployment(t)
  const { service, file } = await aShop(t, source)
  const folder = await aBackupFolder(t)
  const config = configFor(source)
  const first = await backUp(config, folder, { copy: true })
  assert.deepEqual([first.bytesCopied, first.bytesLinked], [2560, 0])
  await uploadFile(service.baseUrl, { name: 'new.bin', bytes: someBytes(50, 3) })
  const deleted = await service.call('DELETE', `${API}/assets/${file.id}?permanent=true`)
  assert.equal(deleted.status, 202)
  const second = await backUp(config, folder, { copy: true })
  assert.deepEqual([second.files, second.bytesCopied, second.removedGenerations], [5, 50, []])
  assert.notEqual(second.generation, first.generation)
  const third = await backUp(config, folder, { copy: true, keep: 2 })
  assert.deepEqual([third.bytesCopied, third.removedGenerations], [0, [first.generation]])
  const checked = await check(folder, () => {})
  assert.deepEqual(
    checked.generations.map(({ name }) => name),
    [second.generation, third.generation],
  )
  assert.deepEqual([checked.files, checked.problems], [5, []])
  const objects = await filesBelow(join(folder, 'storage/objects'))
  assert.equal(objects.filter((path) => path.endsWith('sha256')).length, 5)
})

test('a check finds every changed and missing file', async (t) => {
  const source = await aSeparateDeployment(t)
  await aShop(t, source)
  const folder = await aBackupFolder(t)
  const { generation } = await backUp(configFor(source), folder, { copy: true })
  const parts = (await filesBelow(join(folder, 'storage/objects'))).filter((path) =>
    /\d{5}$/.test(path),
  )
  const large = parts.find((path) => path.endsWith('00002')) ?? assert.fail()
  await writeFile(large, Buffer.alloc(1024))
  const [missing = ''] = parts.filter(
    (path) => path.endsWith('00001') && !path.startsWith(join(large, '..')),
  )
  await rm(missing)
  const rows = join(folder, 'generations', generation, 'stowage.db')
  await writeFile(rows, 'x', { flag: 'a' })
  const { problemsTotal, problems } = await check(folder, () => {})
  assert.deepEqual([problemsTotal, problems], [1, [`${rows} is damaged or missing`]])
  await assert.rejects(
    restoreTo(configFor(await aSeparateDeployment(t)), folder),
    /stowage\.db is damaged/,
  )
})

test('a restore marks files that the backup has lost as damaged, and brings back all others', async (t) => {
  const source = await aSeparateDeployment(t)
  const { file } = await aShop(t, source)
  const folder = await aBackupFolder(t)
  await backUp(configFor(source), folder, { copy: true })
  await rm(join(folder, 'storage/objects', file.id.slice(-2), file.id), { recursive: true })
  const target = await aSeparateDeployment(t)
  const restored = await restoreTo(configFor(target), folder)
  assert.deepEqual(
    restored.damaged.map(({ id }) => id),
    [file.id],
  )
  const after = await aService(t, SETTINGS, target)
  const { status, body } = await after.call('GET', `${API}/assets/${file.id}/download`)
  assert.deepEqual([status, body.code], [409, 'damaged'])
  // The next backup of the service repairs the folder.
  const again = await backUp(configFor(source), folder, { copy: true })
  assert.equal(again.bytesCopied, 2500)
  assert.deepEqual((await check(folder, () => {})).problems, [])
})

test('a restore refuses a database that is not empty, and storage of another service', async (t) => {
  const source = await aSeparateDeployment(t)
  const shop = await aShop(t, source)
  const folder = await aBackupFolder(t)
  await backUp(configFor(source), folder)
  await assert.rejects(restoreTo(configFor(source), folder), /is in use by|not empty/)
  await shop.service.close()
  await assert.rejects(restoreTo(configFor(source), folder), /the database is not empty/)
  const other = await aSeparateDeployment(t)
  const service = await aService(t, SETTINGS, other)
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(5) })
  await service.close()
  await assert.rejects(restoreTo(configFor(other), folder), /the database is not empty/)
  const empty = await aSeparateDeployment(t)
  const mixed = { ...configFor(empty), storage: configFor(other).storage }
  for (const inPlace of [false, true]) {
    await assert.rejects(restoreTo(mixed, folder, { inPlace }), /belongs to the database/)
  }
  assert.deepEqual(await download((await aService(t, SETTINGS, other)).baseUrl, id), someBytes(5))
  await assert.rejects(backUp(configFor(other), folder), /has backups of the database/)
})

test('a lost database is restored in place: files stay where they are, and only missing ones are copied', async (t) => {
  const source = await aSeparateDeployment(t)
  const { service, file, bytes, replaced, newer } = await aShop(t, source)
  const folder = await aBackupFolder(t)
  const config = configFor(source)
  await backUp(config, folder, { copy: true })
  const later = await uploadFile(service.baseUrl, { name: 'later.bin', bytes: someBytes(1500, 4) })
  const context = await takeOverJobs(service)
  await context.storage.removeObject(file.id)
  await service.close()
  const { target, settings } = await withoutDatabase(t, source)
  await assert.rejects(restoreTo(target, folder), /pass --in-place/)
  const restored = await restoreTo(target, folder, { inPlace: true })
  assert.deepEqual([restored.damaged, restored.bytesSent], [[], bytes.length])
  const after = await aService(t, SETTINGS, { ...source, settings })
  assert.deepEqual(await download(after.baseUrl, file.id), bytes)
  assert.deepEqual(await download(after.baseUrl, replaced.id), newer)
  assert.equal((await after.call('GET', `${API}/assets/${later.id}`)).status, 404)
  const findings = await doctor(target, { kind: 'import', account: 'default' })
  assert.ok(findings.some(({ status, items }) => status === 'fixed' && items?.length === 1))
  assert.deepEqual(await download(after.baseUrl, later.id), someBytes(1500, 4))
  const { body } = await after.call('GET', `${API}/assets?path=recovered`)
  assert.deepEqual(
    body.data.map(({ id, bytes }: { id: string; bytes: number }) => [id, bytes]),
    [[later.id, 1500]],
  )
  // The old database cannot be used with this storage any more.
  if (target.database.kind === 'sqlite') return
  await assert.rejects(aService(t, SETTINGS, source), /do not belong together/)
})

/** The same storage, and a new database. */
async function withoutDatabase(t: TestContext, source: Deployment) {
  const config = configFor(source)
  if (config.database.kind === 'sqlite') {
    for (const end of ['', '-wal', '-shm']) await rm(config.database.file + end, { force: true })
    return { target: config, settings: source.settings }
  }
  const empty = await aSeparateDeployment(t)
  const { STOWAGE_DATABASE } = empty.settings
  const target = { ...configFor(empty), storage: config.storage }
  return { target, settings: { ...source.settings, STOWAGE_DATABASE } }
}

test('a backup that lists the objects of a bucket can only be restored in place', async (t) => {
  const source = await aSeparateDeployment(t)
  if (source.settings.STOWAGE_STORAGE === undefined) return
  await aShop(t, source)
  const folder = await aBackupFolder(t)
  const summary = await backUp(configFor(source), folder, { objects: false })
  assert.deepEqual([summary.objects, summary.files, summary.bytesCopied], ['listed', 5, 0])
  const target = await aSeparateDeployment(t)
  await assert.rejects(restoreTo(configFor(target), folder), /does not contain them/)
  const config = { ...configFor(target), storage: configFor(source).storage }
  const restored = await restoreTo(config, folder, { inPlace: true })
  assert.deepEqual([restored.assets, restored.damaged, restored.bytesSent], [4, [], 0])
})

test('objects that a bucket with versions still has come back after a restore in place and by a repair, but never those of other assets', async (t) => {
  const source = await aSeparateDeployment(t)
  const { STOWAGE_STORAGE: bucketUrl, STOWAGE_S3_ENDPOINT: endpoint = '' } = source.settings
  if (bucketUrl === undefined) return
  await keepVersions({ endpoint, region: 'us-east-1', bucket: new URL(bucketUrl).host })
  const earlier = await aService(t, SETTINGS, source)
  const gone = await uploadFile(earlier.baseUrl, { name: 'gone.bin', bytes: someBytes(70, 5) })
  await earlier.engines.storage.removeObject(gone.id)
  const response = await earlier.call('DELETE', `${API}/assets/${gone.id}?permanent=true`)
  assert.equal(response.status, 202)
  await earlier.close()
  const { service, file, bytes, replaced, newer, trashed } = await aShop(t, source)
  const folder = await aBackupFolder(t)
  await backUp(configFor(source), folder, { objects: false })
  const { storage } = service.engines
  const removed = [file.id, replaced.id, trashed.id]
  // A removal that is repeated leaves another marker.
  for (const key of [...removed, file.id]) await storage.removeObject(key)
  await service.close()
  const { target, settings } = await withoutDatabase(t, source)
  const restored = await restoreTo(target, folder, { inPlace: true })
  assert.deepEqual([restored.assets, restored.damaged, restored.bytesSent], [4, [], 0])
  const after = await aService(t, SETTINGS, { ...source, settings })
  assert.deepEqual(await download(after.baseUrl, file.id), bytes)
  assert.deepEqual(await download(after.baseUrl, replaced.id), newer)
  assert.equal((await after.call('POST', `${API}/assets/${trashed.id}/restore`)).status, 200)
  assert.deepEqual(await download(after.baseUrl, trashed.id), someBytes(30, 9))
  const objects = after.engines.storage
  assert.equal(await objects.findObject(gone.id), undefined)

  await objects.removeObject(file.id)
  const missingOf = async (repair: boolean) => {
    const found = await Array.fromAsync(
      examine({ config: target, fix: false, repair, verify: false, onProgress: () => {} }),
    )
    const isAboutFile = ({ items = [] }: { items?: string[] }) =>
      items.some((item) => item.startsWith(file.id))
    return found.filter(isAboutFile).map(({ status, items }) => [status, items?.length])
  }
  assert.deepEqual(await missingOf(false), [['error', 1]])
  assert.equal(await objects.findObject(file.id), undefined)
  assert.deepEqual(await missingOf(true), [['fixed', 1]])
  assert.deepEqual(await missingOf(false), [])
  assert.deepEqual(await download(after.baseUrl, file.id), bytes)
  assert.equal(await objects.findObject(gone.id), undefined)
})

test('a mail that waited at the time of the backup is not sent by the restored service, and says why', async (t) => {
  const source = await aSeparateDeployment(t)
  const service = await aService(t, SETTINGS, source)
  await takeOverJobs(service)
  await aSoldFile(service)
  await anOrder(service, { ...BUYER, notify: true })
  assert.equal((await listMails(service))[0]?.state, 'queued')
  const folder = await aBackupFolder(t)
  await backUp(configFor(source), folder)
  const target = await aSeparateDeployment(t)
  await restoreTo(configFor(target), folder)
  const after = await aService(t, SETTINGS, target)
  const [mail] = await listMails(after)
  assert.equal(mail?.state, 'failed')
  assert.match(mail?.reason ?? '', /restored from a backup/)
})

test('a backup of any engines is restored on SQLite and disk', async (t) => {
  const source = await aSeparateDeployment(t)
  const { service, file, bytes, order } = await aShop(t, source)
  const before = await stateOf(service)
  const folder = await aBackupFolder(t)
  await backUp(configFor(source), folder)
  const settings = { ...SETTINGS, STOWAGE_CHUNK_SIZE: '700', STOWAGE_DATA: await aFolder(t) }
  const config = readConfig({ ...settings, STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0' })
  await restoreTo(config, folder)
  const after = await anEmbeddedService(t, settings)
  const call: TestService['call'] = async (method, path) => {
    const response = await fetch(after.baseUrl + path, { method })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  assert.deepEqual(await stateOf({ baseUrl: after.baseUrl, call }), before)
  assert.deepEqual(await download(after.baseUrl, file.id), bytes)
  assert.equal((await fetch(after.baseUrl + pathOf(urlOf(order)))).status, 200)
})
