import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { aFolder, aService } from '@stowage/testing/service/service'
import { stowage } from '@stowage/testing/service/stowage-command'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import type { Finding } from '../../src/domain/finding.ts'
import { anOrder, aSoldFile, downloadedOf, press } from '../support/orders.ts'

function doctor(settings: Record<string, string>, ...options: string[]) {
  return stowage(settings, 'doctor', ...options)
}

function parseFindings(json: string): Finding[] {
  return JSON.parse(json)
}

test('doctor finds nothing wrong with a running service, and reports it as text and as JSON', async (t) => {
  const { folder, baseUrl } = await aService(t)
  await uploadFile(baseUrl, { bytes: someBytes(25) })
  const settings = { STOWAGE_DATA: folder }
  const { code, stdout, stderr } = await doctor(settings, '--verify')
  const [database, ...progress] = stderr.split('\n').slice(0, -1)
  assert.deepEqual([code, database], [0, `Database: SQLite in ${settings.STOWAGE_DATA}`])
  // Only if the machine is busy.
  for (const line of progress) assert.match(line, /^1 file checked, \d+ B of 25 B read$/)
  assert.match(stdout, /^ok +database: SQLite: .*stowage\.db is intact$/m)
  assert.match(stdout, /^ok +files: 1 checked, each with its object, all bytes verified$/m)
  assert.match(stdout, /\nno problems\n$/)
  const findings = parseFindings((await doctor(settings, '--json')).stdout)
  assert.deepEqual(new Set(findings.map(({ status }) => status)), new Set(['ok']))
  const usage = findings.find(({ check }) => check === 'usage')
  assert.ok(usage?.message)
})

test('doctor reports webhooks that are disabled', async (t) => {
  const { folder, call } = await aService(t)
  const settings = { STOWAGE_DATA: folder }
  const created = await call('POST', `${API}/webhooks`, { url: 'http://127.0.0.1:1/' })
  const { id } = created.body.data
  assert.match((await doctor(settings)).stdout, /^ok +webhooks: 1 checked, none of them fails$/m)
  await call('PUT', `${API}/webhooks/${id}`, { enabled: false })
  const { code, stdout } = await doctor(settings)
  assert.equal(code, 0)
  assert.match(
    stdout,
    /^note +webhooks: webhooks that fail, are disabled or missed events: 1 of 1$/m,
  )
  assert.match(stdout, new RegExp(`${id} http://127\\.0\\.0\\.1:1/: disabled \\(manual\\)`))
})

test('doctor accepts a data folder that does not exist yet', async (t) => {
  const folder = join(await aFolder(t), 'data')
  const { code, stdout } = await doctor({ STOWAGE_DATA: folder })
  assert.equal(code, 0)
  assert.match(stdout, /^pending +database: .* does not exist yet; the service creates it/m)
})

test('doctor reports a data folder that cannot be used', async (t) => {
  const folder = await aFolder(t)
  await writeFile(join(folder, 'file'), '')
  const { code, stdout } = await doctor({ STOWAGE_DATA: join(folder, 'file/data') })
  assert.equal(code, 1)
  assert.match(stdout, /^ERROR +settings: STOWAGE_DATA=.*file\/data: /m)
  assert.doesNotMatch(stdout, /database:/)
})

test('doctor reports wrong counters of downloads, and recounts them on request', async (t) => {
  const service = await aService(t)
  const { folder } = service
  const { file } = await aSoldFile(service)
  const order = await anOrder(service, { max_downloads: 3 })
  await press(order, file.id)
  const other = await anOrder(service)
  await press(other, file.id)
  const settings = { STOWAGE_DATA: folder }
  const ok = /^ok +orders: the downloads of each order are counted correctly$/m
  const okBulk = /^ok +bulk changes: each change of all matches has all of its assets$/m
  assert.match((await doctor(settings)).stdout, ok)
  assert.match((await doctor(settings)).stdout, okBulk)
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  const day = new Date().toISOString().slice(0, 10)
  const damages = [
    [
      'update order_files set used = 0',
      [`order ${order.id}, file ${file.id}: counted 0, actual 1`],
    ],
    [
      `delete from order_files where order_id = '${order.id}'`,
      [`file ${file.id}: counted 0, actual 1`],
    ],
    ['update orders set downloads = 7', [`order ${other.id}: counted 7, actual 1`]],
    [
      "update download_counts set downloads = 9 where kind = 'asset'",
      [`on ${day}: counted 2, actual 9`],
    ],
    ['update accounts set order_count = 9', ['orders of the account', 'counted 9, actual 2']],
    ["delete from download_counts where kind = 'day'", [`on ${day}: counted 0, actual`]],
  ] as const
  for (const [sql, items] of damages) {
    database.exec(sql)
    const named = await doctor(settings)
    assert.equal(named.code, 1, sql)
    assert.match(named.stdout, /^ERROR +orders: wrong counters of orders and downloads: \d$/m)
    for (const item of items) assert.ok(named.stdout.includes(item), `${item}\n${named.stdout}`)
    assert.match((await doctor(settings, '--repair')).stdout, /^fixed +orders: .*; recounted$/m)
    assert.match((await doctor(settings)).stdout, ok)
  }
  database.close()
  assert.equal(await downloadedOf(service, order), 1)
  // A limit that was reached stays reached.
  assert.equal((await press(order, file.id)).status, 303)
})

test('doctor reports wrong usage counters, and recounts them on request', async (t) => {
  const { folder, baseUrl, context } = await aService(t)
  await uploadFile(baseUrl, { bytes: someBytes(25) })
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec('update accounts set stored_bytes = 7; update usage_by_type set assets = 3')
  database.exec('update asset_blocks set assets = 5')
  database.close()
  const settings = { STOWAGE_DATA: folder }
  const named = await doctor(settings)
  assert.equal(named.code, 1)
  assert.match(named.stdout, /^ERROR +usage: /m)
  assert.match(named.stdout, /default: counted {"stored":7,.*actual {"stored":25,/)
  assert.match(named.stdout, /; wrongly counted blocks of assets: 1$/m)
  assert.match(named.stdout, /> stowage doctor --repair/)
  const repaired = await doctor(settings, '--repair')
  assert.equal(repaired.code, 0)
  assert.match(repaired.stdout, /^fixed +usage: /m)
  const [usage] = await context.database.compareUsage()
  assert.deepEqual([usage?.counted.stored, usage?.wrongBlocks], [25, 0])
  assert.equal(usage?.counted.types[0]?.assets, 1)
})

test('doctor reports wrong tags, and corrects them on request', async (t) => {
  const { folder, call, baseUrl, context } = await aService(t)
  const { id } = await uploadFile(baseUrl, { bytes: someBytes(25) })
  await call('PUT', `${API}/assets/${id}`, { tags: ['Audio', 'sale'] })
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec(`update asset_tags set tag = 'other' where tag = 'audio'`)
  database.exec(`update tags set assets = 2 where tag = 'sale'`)
  database.close()
  const settings = { STOWAGE_DATA: folder }
  assert.match((await doctor(settings)).stdout, /; wrong tags of assets: 4$/m)
  assert.match((await doctor(settings, '--repair')).stdout, /^fixed +usage: /m)
  const [usage] = await context.database.compareUsage()
  assert.equal(usage?.wrongTags, 0)
  assert.equal((await call('GET', `${API}/assets?tag=audio`)).body.data[0].id, id)
  const { data } = (await call('GET', `${API}/tags`)).body
  assert.deepEqual(data, [
    { name: 'Audio', assets: 1 },
    { name: 'sale', assets: 1 },
  ])
})

test('doctor reports missing events, and readers get 410 for them after the repair', async (t) => {
  const { folder, baseUrl, context } = await aService(t)
  await uploadFile(baseUrl, { bytes: someBytes(25) })
  await uploadFile(baseUrl, { bytes: someBytes(25) })
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec('delete from events where id = 2')
  database.close()
  const settings = { STOWAGE_DATA: folder }
  const named = await doctor(settings)
  assert.equal(named.code, 1)
  assert.match(named.stdout, /^ERROR +events: .+ incomplete$/m)
  assert.match(named.stdout, /default: the last ID was 4, the highest stored ID is 4; missing: 1$/m)
  const repaired = await doctor(settings, '--repair')
  assert.equal(repaired.code, 0)
  assert.match(repaired.stdout, /^fixed +events: /m)
  const [comparison] = await context.database.compareEvents()
  assert.equal(comparison?.missing, 0)
  const response = await fetch(`${baseUrl}/api/v1/events?after=1`)
  assert.equal(response.status, 410)
})

test('doctor reports events whose bytes are counted wrong, and counts them again', async (t) => {
  const { folder, baseUrl } = await aService(t)
  await uploadFile(baseUrl, { bytes: someBytes(25) })
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec('update accounts set event_bytes = 5, counted_event = last_event')
  database.close()
  const settings = { STOWAGE_DATA: folder }
  const named = await doctor(settings)
  assert.equal(named.code, 1)
  assert.match(named.stdout, /^ERROR +events: the events of some accounts are miscounted$/m)
  assert.match(named.stdout, /default: 5 bytes were counted; actual: \d{3,}$/m)
  assert.match((await doctor(settings, '--repair')).stdout, /^fixed +events: /m)
  assert.match((await doctor(settings)).stdout, /^ok +events: no event is missing$/m)
})

test('doctor --verify finds a byte that changed on the disk', async (t) => {
  const { folder, baseUrl, call } = await aService(t)
  const { id } = await uploadFile(baseUrl, { name: 'a.zip', bytes: someBytes(2500) })
  const file = join(folder, 'storage/objects', id.slice(-2), id, '00001')
  const bytes = await readFile(file)
  bytes[1234] = (bytes[1234] ?? 0) ^ 1
  await writeFile(file, bytes)
  assert.equal((await doctor({ STOWAGE_DATA: folder })).code, 0)
  const { code, stdout } = await doctor({ STOWAGE_DATA: folder }, '--verify')
  assert.equal(code, 1)
  assert.match(stdout, new RegExp(`- ${id} a.zip: .*00001 has changed since it was stored`))
  // The result is recorded: the file cannot be downloaded, and doctor reports it without reading it again.
  assert.equal((await call('GET', `${API}/assets/${id}`)).body.data.damaged, true)
  const again = await doctor({ STOWAGE_DATA: folder })
  assert.equal(again.code, 1)
  assert.match(again.stdout, new RegExp(`- ${id} a.zip: it has changed since it was uploaded`))
  bytes[1234] = (bytes[1234] ?? 0) ^ 1
  await writeFile(file, bytes)
  assert.equal((await doctor({ STOWAGE_DATA: folder }, '--verify')).code, 0)
  assert.equal((await call('GET', `${API}/assets/${id}`)).body.data.damaged, false)
})

test('doctor ignores files of other programs in the objects folder', async (t) => {
  const { folder, baseUrl } = await aService(t)
  await uploadFile(baseUrl, { bytes: someBytes(25) })
  await writeFile(join(folder, 'storage/objects/.DS_Store'), '')
  const { code, stdout } = await doctor({ STOWAGE_DATA: folder })
  assert.equal(code, 0, stdout)
})

test('doctor reports a database file that is not a database', async (t) => {
  const folder = await aFolder(t)
  await writeFile(
    join(folder, 'stowage.db'),
    'no database at all, but long enough to be one'.repeat(99),
  )
  const { code, stdout } = await doctor({ STOWAGE_DATA: folder })
  assert.equal(code, 1)
  assert.match(stdout, /^ERROR +database: .*is not a readable database/m)
  assert.match(stdout, /not compared/)
})

test('doctor exits with code 2 for invalid arguments and settings', async (t) => {
  const folder = await aFolder(t)
  assert.equal((await doctor({ STOWAGE_DATA: folder }, 'now')).code, 2)
  const settings = { STOWAGE_DATA: folder, STOWAGE_PORT: 'x' }
  const { code, stdout } = await doctor(settings, '--json')
  assert.equal(code, 2)
  const [finding] = parseFindings(stdout)
  assert.deepEqual([finding?.check, finding?.status], ['settings', 'error'])
  assert.match(finding?.items?.join() ?? '', /STOWAGE_PORT=x/)
  assert.match((await doctor(settings)).stdout, /1 problem/)
})
