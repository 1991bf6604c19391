import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, aKeyedService, anAccount, callerWith } from '@stowage/testing/service/accounts'
import { takeOverJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import { v7 as newUuid } from 'uuid'
import { reportInstance } from '../../../src/jobs/report-instance.ts'

const STATUS = '/api/v1/operator/status'

test('the operator sees the instances with their problems, the queues and the accounts', async (t) => {
  const service = await aService(t)
  const context = await takeOverJobs(service)
  context.health.failingJobs.add('emptyTrash')
  await reportInstance(context)
  const upload = { name: 'a.zip', size: 1000 }
  assert.equal((await service.call('POST', '/api/v1/assets/signed', upload)).status, 201)
  const { status, body } = await service.call('GET', STATUS)
  assert.equal(status, 200)
  const { version, instances, queues, failures, totals, accounts } = body.data
  assert.equal(version, '0.0.0-test')
  const [instance] = instances
  assert.equal(instances.length, 1)
  assert.deepEqual([instance.id, instance.version], [context.instance.id, version])
  assert.match(instance.problems.join(), /emptyTrash/)
  assert.deepEqual(failures, { damaged_files: 0, webhooks: 0, mails: 0, bulk_changes: 0 })
  assert.ok(queues.some(({ name }: { name: string }) => name === 'webhooks'))
  assert.deepEqual([totals.accounts, totals.uploads, totals.reserved], [1, 1, 1000])
  const [account] = accounts
  assert.deepEqual([account.name, account.reserved], ['default', 1000])
})

test('the operator sees the last backups with their age, and the last complete one, however old it is', async (t) => {
  const service = await aService(t)
  const { database } = service.context
  const backUp = async (files?: number) => {
    const id = newUuid()
    await database.beginBackup({ id, location: '/backups', holdForMs: 60_000 })
    if (files === undefined) return
    const result = { generation: '20260131T120000Z', files, bytes: 10, damaged: 1 }
    await database.endBackup(id, files === 0 ? undefined : result)
  }
  const read = async () => (await service.call('GET', STATUS)).body.data.backups
  assert.deepEqual(await read(), [])
  await backUp(3)
  const [{ id: _, started_at, finished_at, age, ...complete }] = await read()
  assert.deepEqual(complete, {
    folder: '/backups',
    state: 'complete',
    generation: '20260131T120000Z',
    files: 3,
    bytes: 10,
    damaged: 1,
  })
  assert.ok(Date.parse(started_at) <= Date.parse(finished_at) && age >= 0 && age < 60)
  for (let count = 0; count < 11; count += 1) await backUp(0)
  await backUp()
  const states = (await read()).map(({ state }: { state: string }) => state)
  assert.deepEqual(states, ['running', ...Array(9).fill('interrupted'), 'complete'])
})

test('an instance reports when it starts, and is not listed after it has stopped', async (t) => {
  const service = await aService(t)
  const { database } = service.context
  await until('the instance has reported', async () => {
    return (await database.listInstances()).instances.length === 1
  })
  await service.stopJobs()
  assert.deepEqual((await database.listInstances()).instances, [])
})

test('only the operator’s key may see the status', async (t) => {
  const service = await aKeyedService(t)
  const { keys } = await anAccount(service, { name: 'default' })
  const ours = await callerWith(service.baseUrl, keys.manage.secret)('GET', STATUS)
  assert.deepEqual([ours.status, ours.body.code], [403, 'forbidden'])
  assert.match(ours.body.message, /STOWAGE_ADMIN_KEY/)
  assert.equal((await callerWith(service.baseUrl)('GET', STATUS)).status, 401)
  assert.equal((await callerWith(service.baseUrl, ADMIN_KEY)('GET', STATUS)).status, 200)
})
