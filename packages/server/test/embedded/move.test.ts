import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Event } from '@stowage/protocol'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { listenOnFreePort } from '@stowage/testing/machine/ports'
import { until } from '@stowage/testing/machine/until'
import { aWebhookReceiver } from '@stowage/testing/service/events'
import { takeOverJobs } from '@stowage/testing/service/jobs'
import { anEmbeddedService, callJson } from '@stowage/testing/service/service'
import { stowage } from '@stowage/testing/service/stowage-command'
import {
  API,
  complete,
  download,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { examine, openOperator } from '../../src/compose.ts'
import { readConfig } from '../../src/config/config.ts'
import { eventNumber } from '../../src/domain/event.ts'
import type { Finding } from '../../src/domain/finding.ts'
import { type MoveOptions, move } from '../../src/operator/move.ts'
import { Webhook } from '../support/standard-webhooks.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

/** The data folder of a stopped service with files, a link, a product and an open upload. */
async function aDataFolder(t: TestContext) {
  const folder = await aFolder(t)
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder, STOWAGE_CHUNK_SIZE: '10' })
  const { baseUrl } = service
  const call = (method: string, path: string, body?: unknown) =>
    callJson(baseUrl + API + path, { method, body })
  for (const size of [0, 5, 10, 45]) {
    await uploadFile(baseUrl, { name: `Ünïcode ${size}.bin`, bytes: someBytes(size) })
  }
  const products = [{ product_id: 1, variant_id: 11, name: 'Pack', tags: ['a', 'b'] }]
  await call('PUT', '/products', { products })
  const link = await call('POST', '/assets/store', { filename: 'l', url: 'https://example.com' })
  await call('POST', `/assets/${link.body.data.id}/attach`, { product_ids: [1] })
  await requestSession(baseUrl, { bytes: someBytes(25), name: 'open.bin' })
  const list = await listOf(baseUrl)
  const events = await eventsOf(baseUrl)
  assert.ok(events.length > 10)
  await service.close()
  return { folder, list, events }
}

function callOn({ baseUrl }: { baseUrl: string }, method: string, path: string, body?: unknown) {
  return callJson(baseUrl + path, { method, body })
}

async function eventsOf(baseUrl: string): Promise<Event[]> {
  const { body } = await callJson(`${baseUrl}${API}/events?limit=1000`, { method: 'GET' })
  return body.data
}

/** The list as clients see it, without the base URL of the service. */
async function listOf(baseUrl: string) {
  const url = `${baseUrl}${API}/assets?with_products=true&sort=created_at`
  const { body } = await callJson(url, { method: 'GET' })
  return JSON.parse(JSON.stringify(body.data).replaceAll(baseUrl, ''))
}

const DEFAULTS = { ahead: false, verify: false, skipDamaged: false, onProgress: () => {} }

async function aTarget(t: TestContext, more: Record<string, string> = {}) {
  const directory = await aFolder(t)
  const settings = { STOWAGE_DATA: directory, STOWAGE_CHUNK_SIZE: '7' }
  const ports = { STOWAGE_PORT: '0', STOWAGE_STORAGE_PORT: '0' }
  const config = readConfig({ ...settings, ...ports, ...more })
  return {
    directory,
    config,
    runMove: (from: string, options: Partial<MoveOptions> = {}) =>
      move(config, { ...DEFAULTS, from, ...options }),
    open: () => anEmbeddedService(t, settings),
  }
}

async function contentOf(folder: string): Promise<string> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const kept = files.filter((file) => file.isFile() && !/^(lock|stowage\.db-)/.test(file.name))
  const texts = kept.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    return `${path} ${(await readFile(path)).toString('base64')}`
  })
  return (await Promise.all(texts)).sort().join('\n')
}

test('a move copies webhooks with their secrets, and the target sends the pending events', async (t) => {
  const folder = await aFolder(t)
  const source = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  const receiver = await aWebhookReceiver(t)
  receiver.respond = (response) => response.writeHead(500).end()
  const created = await callOn(source, 'POST', `${API}/webhooks`, { url: receiver.url })
  const { secret, id } = created.body.data
  const link = { filename: 'l', url: 'https://example.com' }
  await callOn(source, 'POST', `${API}/assets/store`, link)
  await until('an attempt has failed', async () => {
    const { body } = await callOn(source, 'GET', `${API}/webhooks/${id}`)
    return body.data.failing_since !== null
  })
  await callOn(source, 'PUT', `${API}/webhooks/${id}`, { enabled: false })
  // While the webhook is disabled, no deliveries are created: here, those of its disabling and of this link.
  await callOn(source, 'POST', `${API}/assets/store`, link)
  await source.close()
  const { runMove, open } = await aTarget(t)
  for (const _ of [1, 2]) await runMove(folder)
  receiver.received.length = 0
  receiver.respond = (response) => response.end()
  const target = await open()
  const { body } = await callOn(target, 'GET', `${API}/webhooks/${id}`)
  assert.deepEqual([body.data.url, body.data.pending], [receiver.url, 1])
  await callOn(target, 'PUT', `${API}/webhooks/${id}`, { enabled: true })
  await until('all events are received', () => receiver.received.length === 4)
  assert.deepEqual(
    receiver
      .events()
      .map((event) => eventNumber(event.id))
      .sort(),
    // The webhook does not receive event 1, its own creation. It was disabled in event 3 and enabled in event 5.
    [2, 3, 4, 5],
  )
  for (const request of receiver.received) {
    new Webhook(secret).verify(request.body, request.headers as Record<string, string>)
  }
})

test('a move copies everything except unfinished uploads, with a new part size, and does not change the source', async (t) => {
  const { folder, list, events } = await aDataFolder(t)
  const { runMove, open } = await aTarget(t)
  const before = await contentOf(folder)
  const moved = await runMove(folder)
  assert.deepEqual(moved, {
    accounts: 1,
    products: 1,
    assets: 5,
    bytes: 60,
    bytesSent: 60,
    uploadsLeft: 1,
    damaged: [],
  })
  assert.equal(await contentOf(folder), before)
  const { baseUrl, context } = await open()
  assert.deepEqual(await listOf(baseUrl), list)
  assert.deepEqual(await eventsOf(baseUrl), events)
  for (const { id, kind, bytes } of list) {
    if (kind === 'file') assert.deepEqual(await download(baseUrl, id), someBytes(bytes))
  }
  const [usage] = await context.database.compareUsage()
  assert.deepEqual(usage?.counted, usage?.actual)
  assert.partialDeepStrictEqual(usage?.actual, { stored: 60, reserved: 0, assets: 5 })
})

test('a move refuses a target that has events of its own', async (t) => {
  const { folder } = await aDataFolder(t)
  const { runMove, open } = await aTarget(t)
  const target = await open()
  const products = [{ product_id: 5, variant_id: 5, name: 'Pack' }]
  await callJson(`${target.baseUrl}${API}/products`, { method: 'PUT', body: { products } })
  await target.close()
  await assert.rejects(runMove(folder), /account default of the target has events that are not in/)
})

test('a move continues an interrupted deletion of all assets, which leaves later assets', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const source = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  const own = await takeOverJobs(source)
  const [account] = await own.database.listAccounts()
  const data = own.database.of(account?.id ?? '')
  const [restored, ...others] = list.map(({ id }: { id: string }) => id)
  await data.beginTrashAll()
  await callOn(source, 'DELETE', `${API}/assets/${restored}`)
  await callOn(source, 'POST', `${API}/assets/${restored}/restore`)
  await source.close()
  const { runMove, open } = await aTarget(t)
  await runMove(folder)
  await runMove(folder)
  const { baseUrl } = await open()
  await until('the other assets are deleted', async () => (await listOf(baseUrl)).length === 1)
  assert.equal((await listOf(baseUrl))[0].id, restored)
  const { body } = await callJson(`${baseUrl}${API}/assets?trashed=true`, { method: 'GET' })
  const trashed = body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(trashed.sort(), others.sort())
})

test('a repeated move copies no file again', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const { runMove, open } = await aTarget(t)
  await runMove(folder, { ahead: true })
  assert.equal((await runMove(folder)).bytesSent, 0)
  assert.equal((await runMove(folder, { verify: true })).bytesSent, 0)
  const { baseUrl } = await open()
  assert.deepEqual(await listOf(baseUrl), list)
})

test('with --ahead, a move copies files while the service runs; everything else is copied after it is stopped', async (t) => {
  const { folder } = await aDataFolder(t)
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  const { runMove, open } = await aTarget(t)
  await assert.rejects(runMove(folder), /is in use by process \d+.*--ahead/)
  await runMove(folder, { ahead: true })
  const later = await uploadFile(service.baseUrl, { bytes: someBytes(33) })
  const list = await listOf(service.baseUrl)
  await service.close()
  await runMove(folder)
  const { baseUrl } = await open()
  assert.deepEqual(await listOf(baseUrl), list)
  assert.deepEqual(await download(baseUrl, later.id), someBytes(33))
})

test('a file that is deleted after a move with --ahead does not remain in the target', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  const { runMove, open } = await aTarget(t)
  await runMove(folder, { ahead: true })
  const { id } = list[3]
  await callJson(`${service.baseUrl}${API}/assets/${id}?permanent=true`, { method: 'DELETE' })
  await service.close()
  await runMove(folder)
  const { context } = await open()
  const objects = await Array.fromAsync(context.storage.listObjects())
  assert.deepEqual(objects.map(({ key }) => key).includes(id), false)
  assert.equal(objects.length, 3)
})

test('a target with other assets is refused and not changed', async (t) => {
  const { folder } = await aDataFolder(t)
  const { runMove, open } = await aTarget(t)
  const service = await open()
  await uploadFile(service.baseUrl, { name: 'other.zip', bytes: someBytes(5) })
  const readAll = async (baseUrl: string) => [
    await listOf(baseUrl),
    (await callJson(`${baseUrl}${API}/products`, { method: 'GET' })).body.data,
    (await callJson(`${baseUrl}${API}/account`, { method: 'GET' })).body.data,
  ]
  const before = await readAll(service.baseUrl)
  await service.close()
  await assert.rejects(runMove(folder), /do not exist in the source.*: \S+ other\.zip\./)
  assert.deepEqual(await readAll((await open()).baseUrl), before)
})

test('a move is refused if an asset was renamed after it was copied, and the error shows the asset', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const { runMove } = await aTarget(t)
  await runMove(folder)
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  const url = `${service.baseUrl}${API}/assets/${list[1].id}`
  await callJson(url, { method: 'PUT', body: { filename: 'renamed' } })
  await service.close()
  await assert.rejects(runMove(folder), new RegExp(`differ from it: ${list[1].id} `))
})

/** Changes one byte of a stored part. The returned function restores it. */
async function damage(folder: string, id: string, part = '00001'): Promise<() => Promise<void>> {
  const file = join(folder, 'storage/objects', id.slice(-2), id, part)
  const bytes = await readFile(file)
  const changed = Buffer.from(bytes)
  changed[0] = (changed[0] ?? 0) ^ 1
  await writeFile(file, changed)
  return () => writeFile(file, bytes)
}

/** Runs `stowage doctor --verify` on a data folder. */
function verifyFolder(folder: string): Promise<Finding[]> {
  const options = { fix: false, repair: false, verify: true, onProgress: () => {} }
  return Array.fromAsync(examine({ config: readConfig({ STOWAGE_DATA: folder }), ...options }))
}

async function readTarget({ baseUrl }: { baseUrl: string }, id: string) {
  const { body } = await callJson(`${baseUrl}${API}/assets/${id}`, { method: 'GET' })
  const download = await fetch(`${baseUrl}${API}/assets/${id}/download`, { redirect: 'manual' })
  return { damaged: body.data.damaged, status: download.status }
}

test('a damaged file is not copied, and the error shows its name, not that of another file', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder, STOWAGE_CHUNK_SIZE: '10' })
  // The older version of the first asset is still queued when the copy of the damaged file fails.
  const session = await callOn(service, 'POST', `${API}/assets/${list[0].id}/signed`, { size: 95 })
  const parts = await putParts(session.body, someBytes(95))
  assert.equal((await complete(service.baseUrl, session.body, parts)).status, 200)
  await service.close()
  await damage(folder, list[3].id, '00002')
  const { runMove } = await aTarget(t)
  await assert.rejects(
    runMove(folder),
    /^DamagedObject: Ünïcode 45\.bin \(\S+, version 1\): \S+00002 has changed since it was stored/,
  )
})

test('a move continues after the files of the source were verified again, unless a digest differs', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const { runMove, directory, open } = await aTarget(t)
  await runMove(folder)
  assert.ok((await verifyFolder(folder)).every(({ status }) => status === 'ok'))
  assert.equal((await runMove(folder)).bytesSent, 0)
  const target = await open()
  const { body } = await callOn(target, 'GET', `${API}/assets/${list[3].id}`)
  assert.match(body.data.checksum.sha256, /^[0-9a-f]{64}$/)
  await target.close()
  const database = new DatabaseSync(join(directory, 'stowage.db'))
  database.exec('update checksums set damaged = 1 where bytes = 10')
  await runMove(folder)
  // The target has found damage of its own copy.
  const [copy] = database.prepare('select damaged from checksums where bytes = 10').all()
  assert.equal(copy?.damaged, 1)
  database.exec(`update checksums set sha256 = '${'0'.repeat(64)}' where bytes = 45`)
  database.close()
  await assert.rejects(runMove(folder), new RegExp(`differ from it: ${list[3].id} `))
})

test('with --skip-damaged, a damaged file is listed and not copied, and its asset can be moved later', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const { id } = list[3]
  const restoreFile = await damage(folder, id, '00003')
  const { runMove, open } = await aTarget(t)
  const moved = await runMove(folder, { skipDamaged: true, verify: true })
  const { damaged } = moved
  assert.partialDeepStrictEqual(moved, { assets: 5, bytes: 15, bytesSent: 15 })
  assert.partialDeepStrictEqual(damaged, [{ id, filename: 'Ünïcode 45.bin', version: 1 }])
  assert.match(damaged[0]?.reason ?? '', /00003 has changed since it was stored/)
  const target = await open()
  assert.deepEqual(await readTarget(target, id), { damaged: true, status: 409 })
  assert.deepEqual(await readTarget(target, list[2].id), { damaged: false, status: 302 })
  const { storage } = target.context
  assert.equal(await storage.findObject(id), undefined)
  assert.deepEqual(await Array.fromAsync(storage.listUploads()), [])
  await target.close()

  await restoreFile()
  assert.deepEqual((await runMove(folder)).damaged, [])
  const repaired = await open()
  assert.deepEqual(await readTarget(repaired, id), { damaged: false, status: 302 })
  assert.deepEqual(await download(repaired.baseUrl, id), someBytes(45))
})

test('with --skip-damaged, the parts of a file after a damaged one are not sent', async (t) => {
  const folder = await aFolder(t)
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder, STOWAGE_CHUNK_SIZE: '10' })
  const { id } = await uploadFile(service.baseUrl, { bytes: someBytes(700) })
  await service.close()
  await damage(folder, id)
  const { runMove } = await aTarget(t)
  let highest = 0
  const moved = await runMove(folder, {
    skipDamaged: true,
    onProgress({ bytes }) {
      highest = Math.max(highest, bytes)
    },
  })
  assert.ok(highest < 200, `${highest} bytes were sent`)
  assert.partialDeepStrictEqual(moved, { bytes: 0, damaged: [{ id }] })
})

test('the exit code of a move shows whether files were skipped, and the CLI lists them', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const { id } = list[3]
  await damage(folder, id)
  const { directory } = await aTarget(t)
  const settings = { STOWAGE_DATA: directory, STOWAGE_CHUNK_SIZE: '7' }
  const words = ['move', '--from', folder]
  const stopped = await stowage(settings, ...words)
  assert.equal(stopped.code, 1)
  assert.match(stopped.stderr, /Ünïcode 45\.bin .*--skip-damaged/)
  const text = await stowage(settings, ...words, '--skip-damaged')
  assert.equal(text.code, 3, text.stderr)
  assert.match(
    text.stderr,
    new RegExp(`were skipped: 1\\. .*\n- ${id} Ünïcode 45\\.bin \\(version 1\\)`),
  )
  const json = await stowage(settings, ...words, '--skip-damaged', '--json')
  assert.equal(json.code, 3)
  assert.partialDeepStrictEqual(JSON.parse(json.stdout), {
    assets: 5,
    damaged: [{ id, version: 1 }],
  })
})

test('no command starts on the target of an unfinished move until the move is finished', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const { runMove, config, open } = await aTarget(t)
  const refusal = (error: Error) =>
    error.message.startsWith(`A move from ${folder} to this database has not been finished`) &&
    error.message.includes(`stowage move --from ${folder}.`)
  await runMove(folder, { ahead: true })
  await assert.rejects(open(), refusal)
  const restoreFile = await damage(folder, list[3].id)
  const other = await aTarget(t)
  await assert.rejects(other.runMove(folder), /has changed/)
  await assert.rejects(other.open(), refusal)
  await assert.rejects(openOperator(other.config), refusal)
  const options = { fix: false, repair: true, verify: false, onProgress: () => {} }
  const findings = await Array.fromAsync(examine({ config: other.config, ...options }))
  const finding = findings.find(({ status }) => status === 'error')
  assert.match(`${finding?.message} ${finding?.remedy}`, /not been finished.* stowage move --from/)

  await restoreFile()
  for (const target of [{ runMove, config, open }, other]) {
    await target.runMove(folder)
    // A repeated move does not prevent the service from starting, even if it is interrupted.
    const stop = () => {
      throw new Error('interrupted')
    }
    await assert.rejects(target.runMove(folder, { onProgress: stop }), /interrupted/)
    const { baseUrl } = await target.open()
    assert.deepEqual(await listOf(baseUrl), list)
    await (await openOperator(target.config)).close()
  }
})

test('a move to a disk needs neither the port nor the URL of its storage', async (t) => {
  const { folder, list } = await aDataFolder(t)
  const other = createServer()
  cleanUp(t, () => other.close())
  const port = String(await listenOnFreePort(other))
  const url = 'http://parts.example.invalid'
  const { runMove, open } = await aTarget(t, {
    STOWAGE_STORAGE_PORT: port,
    STOWAGE_STORAGE_URL: url,
  })
  await runMove(folder)
  const { baseUrl } = await open()
  assert.deepEqual(await listOf(baseUrl), list)
})

test('a move from a folder without data, or from the target itself, is refused', async (t) => {
  const { runMove } = await aTarget(t)
  await assert.rejects(runMove(await aFolder(t)), /is not a data folder/)
  const { folder } = await aDataFolder(t)
  const same = readConfig({ STOWAGE_DATA: folder })
  await assert.rejects(
    move(same, { ...DEFAULTS, from: folder }),
    /source and target are the same folder/,
  )
})
