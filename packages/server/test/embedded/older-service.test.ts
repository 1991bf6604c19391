import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { anEmbeddedService, callJson } from '@stowage/testing/service/service'
import { aFailedStart, aServiceProcess } from '@stowage/testing/service/service-process'
import { NEWER_VERSION, newerStowage } from '@stowage/testing/service/stowage-command'
import { openSchedule, watchSchema } from '../../src/jobs/schedule.ts'

const COLUMN = `select count(*) as count from pragma_table_info('identity') where name = 'newer'`

test('a command of a newer version does not migrate the database of a running or stopped service', async (t) => {
  const service = await aServiceProcess(t)
  const { folder } = service.deployment
  const settings = { STOWAGE_DATA: folder }
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  t.after(() => database.close())
  const isMigrated = () => database.prepare(COLUMN).get()?.count === 1
  const refused = await newerStowage(settings, 'migrate')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, new RegExp(`process ${service.pid}\\b.*stop it first, then migrate`))
  for (const state of ['running', 'stopped']) {
    if (state === 'stopped') await service.stop('SIGTERM')
    const { code, stderr } = await newerStowage(settings, 'accounts', 'list')
    assert.equal(code, 1)
    assert.match(stderr, /older version of Stowage \(pending migrations: 1\).*run: stowage migrate/)
    assert.equal(isMigrated(), false)
  }
  assert.equal((await newerStowage(settings, 'migrate')).code, 0)
  assert.equal(isMigrated(), true)
  const listed = await newerStowage(settings, 'accounts', 'list')
  assert.match(listed.stdout, /default/)
})

test('an instance reports once that a newer version has migrated its database', async (t) => {
  const folder = await aFolder(t)
  const { context, baseUrl } = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  const warnings: string[] = []
  const own = { ...context, warn: (message: string) => warnings.push(message) }
  await watchSchema(own)
  assert.deepEqual(warnings, [])
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec(`insert into migrations values ('9999_future.sql', '', datetime('now'))`)
  database.close()
  // The first job of a schedule finds it.
  const schedule = openSchedule(own, { isAlone: false })
  await until('the job has warned', () => warnings.length > 0)
  await schedule.close(10_000)
  await watchSchema(own)
  assert.equal(warnings.length, 1)
  assert.match(
    warnings[0] ?? '',
    /newer version of Stowage .*9999_future\.sql.*replace it by that version/,
  )
  const { body } = await callJson(`${baseUrl}/readyz`, { method: 'GET' })
  assert.match(body.notes.join(), /9999_future\.sql/)
})

test('with STOWAGE_MIGRATE=off, the service starts only on a database of its own version', async (t) => {
  const folder = await aFolder(t)
  const settings = { STOWAGE_DATA: folder, STOWAGE_MIGRATE: 'off' }
  await assert.rejects(anEmbeddedService(t, settings), /is empty.*: stowage migrate/)
  assert.equal(existsSync(join(folder, 'stowage.db')), false)
  const created = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  await created.close()
  await (await anEmbeddedService(t, settings)).close()
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  t.after(() => database.close())
  const newer = { ...settings, NODE_OPTIONS: NEWER_VERSION.join(' ') }
  const { code, stderr } = await aFailedStart(newer)
  assert.equal(code, 1)
  assert.match(stderr, /pending migrations: 1.*: stowage migrate/)
  assert.equal(database.prepare(COLUMN).get()?.count, 0)
})
