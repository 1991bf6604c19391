import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, aKeyedService, anAccount } from '@stowage/testing/service/accounts'
import { takeOverJobs } from '@stowage/testing/service/jobs'
import { v7 as newUuid } from 'uuid'
import { aCli } from './support/cli.ts'

test('status shows the operator which instances run, what waits and what the accounts use', async (t) => {
  const service = await aKeyedService(t)
  const { database, instance } = await takeOverJobs(service)
  const { keys } = await anAccount(service, { name: 'shop' })
  const report = { ...instance, name: 'files-1 (7)', freeBytes: null, fullAt: null }
  await database.recordInstance({ ...report, problems: ['the disk is almost full'] })
  const empty = await aCli(t, service.baseUrl)
  const before = await empty.runWith({ env: { STOWAGE_API_KEY: ADMIN_KEY } }, 'status')
  assert.match(before.stdout, /Backups\n {2}no complete backup/)
  const backup = { id: newUuid(), location: '/backups/files' }
  await database.beginBackup({ ...backup, holdForMs: 60_000 })
  const result = { generation: '20260131T120000Z', files: 7, bytes: 1_500_000, damaged: 2 }
  await database.endBackup(backup.id, result)
  const cli = await aCli(t, service.baseUrl)
  const run = (key: string, ...words: string[]) =>
    cli.runWith({ env: { STOWAGE_API_KEY: key } }, 'status', ...words)
  const { code, stdout, stderr } = await run(ADMIN_KEY)
  assert.equal(code, 0, stderr)
  assert.match(stdout, /files-1 \(7\) +0\.0\.0-test +\S+ \S+ +running/)
  assert.match(stdout, /files-1 \(7\): the disk is almost full/)
  assert.match(stdout, /Waiting\n {2}nothing\n/)
  assert.match(stdout, /shop +0 B/)
  assert.match(stdout, /Backups\n {2}the last complete one is \d+ s old\n/)
  assert.match(stdout, /complete, 2 damaged +7 +1\.5 MB +\/backups\/files/)
  const json = JSON.parse((await run(ADMIN_KEY, '--json')).stdout)
  assert.equal(json.totals.accounts, 2)
  const refused = await run(keys.manage.secret)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /STOWAGE_ADMIN_KEY/)
})
