import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Asset, UploadSession } from '@stowage/protocol'
import { aSmallDisk, type SmallDisk } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { aSlowPut } from '@stowage/testing/service/connections'
import { runJobs } from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import {
  API,
  cancel,
  complete,
  download,
  putPart,
  putParts,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { createDiskWatch } from '../../src/jobs/disk-forecast.ts'

const MB = 1_000_000
const RESERVE = 20 * MB

async function onSmallDisk(
  t: TestContext,
  work: (disk: SmallDisk, start: () => Promise<TestService>) => Promise<void>,
): Promise<void> {
  const disk = await aSmallDisk(t, 90)
  if (typeof disk === 'string') return skipUnlessCi(t, disk)
  const settings = { STOWAGE_DATA: disk.folder, STOWAGE_DISK_RESERVE: `${RESERVE}` }
  await work(disk, () => aService(t, settings, undefined, { ownThread: true }))
}

test('uploads are refused when the disk reserve is reached, but completing and deleting still work', (t) =>
  onSmallDisk(t, async (disk, start) => {
    const service = await start()
    const { baseUrl } = service
    const huge = await service.call('POST', `${API}/assets/signed`, { name: 'a', size: 200 * MB })
    assert.deepEqual([huge.status, huge.body.code], [507, 'storage_full'])
    assert.equal(huge.body.needed, 200 * MB)
    assert.ok(huge.body.available < 75 * MB && huge.body.available > 50 * MB)
    const account = await service.call('GET', `${API}/account`)
    assert.equal(account.body.data.reserved, 0)
    // If the upload exceeds the plan as well, the plan is the reported reason.
    const beyond = await service.call('POST', `${API}/assets/signed`, { name: 'a', size: 2e12 })
    assert.equal(beyond.status, 402)

    const bytes = someBytes(20 * MB)
    // Each of them fits, but not all together.
    const sessions = await Promise.all(
      Array.from({ length: 5 }, () => requestSession(baseUrl, { bytes })),
    )
    const statuses: number[] = []
    for (const session of sessions) {
      const response = await putPart(session.urls[0]?.url ?? '', bytes)
      statuses.push(response.status)
      const body = await response.text()
      if (response.status === 507) assert.equal(JSON.parse(body).code, 'storage_full')
    }
    assert.deepEqual(statuses.toSorted(), [200, 200, 200, 507, 507])
    assert.ok((await disk.free()) > RESERVE, `${await disk.free()} bytes are free`)
    const [first, second] = sessions
    assert.ok(first && second)
    assert.equal((await complete(baseUrl, first)).status, 200)
    assert.deepEqual(await download(baseUrl, first.id), bytes)
    assert.equal((await cancel(baseUrl, second)).status, 200)
    assert.equal((await service.call('DELETE', `${API}/assets/${first.id}`)).status, 202)
    await runJobs(service.context)
    await uploadFile(baseUrl, { bytes })
    await assertUsageConsistent(service)
  }))

test('on a full disk, an upload removes the oldest trash of its account, but none if that would not free enough space', (t) =>
  onSmallDisk(t, async (disk, start) => {
    const service = await start()
    const { baseUrl, call } = service
    const ids: string[] = []
    for (const seed of [1, 2, 3]) {
      const { id } = await uploadFile(baseUrl, { bytes: someBytes(20 * MB, seed) })
      assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
      ids.unshift(id)
    }
    const trashed = async () =>
      (await call('GET', `${API}/assets?trashed=true`)).body.data.map(({ id }: Asset) => id)
    assert.ok((await disk.free()) < RESERVE + 20 * MB, `${await disk.free()} bytes are free`)

    const huge = await call('POST', `${API}/assets/signed`, { name: 'a', size: 90 * MB })
    assert.deepEqual([huge.status, huge.body.code], [507, 'storage_full'])
    assert.match(huge.body.message, /empty the trash/)
    assert.deepEqual(await trashed(), ids)

    const bytes = someBytes(21 * MB, 4)
    const { id } = await uploadFile(baseUrl, { bytes })
    assert.deepEqual(await trashed(), ids.slice(0, 2))
    assert.deepEqual(await download(baseUrl, id), bytes)

    const growing = await requestSession(baseUrl, { bytes: someBytes(MB) })
    const path = `${API}/assets/${growing.id}/upload`
    assert.equal((await call('PATCH', path, { size: 21 * MB })).status, 200)
    assert.deepEqual(await trashed(), ids.slice(0, 1))
    assert.ok((await disk.free()) > RESERVE)
    await cancel(baseUrl, growing)
    await assertUsageConsistent(service)
  }))

test('on a full disk, a resize that is refused and an estimated size remove no trash', (t) =>
  onSmallDisk(t, async (_, start) => {
    const service = await start()
    const { baseUrl, call } = service
    const completed = await requestSession(baseUrl, { bytes: someBytes(2 * MB) })
    // A completion that the storage refused makes the size final.
    const [account] = await service.context.database.listAccounts()
    const data = service.context.database.of(account?.id ?? '')
    await data.beginCompletion(completed.id, { keptForMs: 3_600_000 })
    await data.reopenUpload(completed.id)
    const { id } = await uploadFile(baseUrl, { bytes: someBytes(50 * MB) })
    assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
    const readTrash = async () => (await call('GET', `${API}/account`)).body.data.trash
    const resize = (session: UploadSession, body: object) =>
      call('PATCH', `${API}/assets/${session.id}/upload`, body)

    const final = await resize(completed, { size: 40 * MB })
    assert.deepEqual([final.status, final.body.code], [409, 'upload_completing'])
    assert.equal(await readTrash(), 50 * MB)
    const file = { name: 'a', size: 64 * MB, min_size: MB, chunk_size: 6 * MB }
    const { body: stream } = await call('POST', `${API}/assets/signed`, file)
    const reserved = stream.urls.at(-1).end
    assert.ok(reserved > MB && reserved < 30 * MB, `${reserved} bytes are reserved`)
    assert.equal((await resize(stream, { size: 64 * MB, min_size: 2 * MB })).status, 200)
    assert.equal(await readTrash(), 50 * MB)
    // These bytes are certain.
    assert.equal((await resize(stream, { size: 64 * MB, min_size: 40 * MB })).status, 200)
    assert.equal(await readTrash(), 0)
    await assertUsageConsistent(service)
  }))

test('a file that does not fit on the disk removes no trash from a full plan', (t) =>
  onSmallDisk(t, async (_, start) => {
    const service = await start()
    const { baseUrl, call, context } = service
    const { id } = await uploadFile(baseUrl, { bytes: someBytes(10 * MB) })
    assert.equal((await call('DELETE', `${API}/assets/${id}`)).status, 202)
    const [account] = await context.database.listAccounts()
    await context.database.changePlan(account?.id ?? '', { name: 'small', storage: 205 * MB })
    const refused = await call('POST', `${API}/assets/signed`, { name: 'a', size: 200 * MB })
    assert.deepEqual([refused.status, refused.body.code], [507, 'storage_full'])
    const session = await requestSession(baseUrl, { bytes: someBytes(MB) })
    const grown = await call('PATCH', `${API}/assets/${session.id}/upload`, { size: 200 * MB })
    assert.deepEqual([grown.status, grown.body.code], [507, 'storage_full'])
    const { trash, reserved } = (await call('GET', `${API}/account`)).body.data
    assert.deepEqual([trash, reserved], [10 * MB, MB])
  }))

test('an upload cannot grow beyond the free space of the disk, but can grow within it and shrink', (t) =>
  onSmallDisk(t, async (_, start) => {
    const service = await start()
    const session = await requestSession(service.baseUrl, { bytes: someBytes(10 * MB) })
    const resize = (size: number) =>
      service.call('PATCH', `${API}/assets/${session.id}/upload`, { size })
    const grown = await resize(200 * MB)
    assert.deepEqual([grown.status, grown.body.code], [507, 'storage_full'])
    assert.equal(grown.body.needed, 200 * MB)
    await requestSession(service.baseUrl, { bytes: someBytes(10 * MB) })
    const beyond = await resize(1_000_000 * MB)
    assert.deepEqual([beyond.status, beyond.body.code], [402, 'storage_exceeded'])
    assert.equal((await resize(40 * MB)).status, 200)
    assert.equal((await resize(5 * MB)).status, 200)
    const account = await service.call('GET', `${API}/account`)
    assert.equal(account.body.data.reserved, 15 * MB)
  }))

test('parts that are sent at the same time share the remaining space', (t) =>
  onSmallDisk(t, async (disk, start) => {
    const service = await start()
    const bytes = someBytes(40 * MB)
    const sessions = [
      await requestSession(service.baseUrl, { bytes }),
      await requestSession(service.baseUrl, { bytes }),
    ]
    const [slow, other] = sessions.map(({ urls }) => urls[0]?.url ?? '')
    const first = await aSlowPut(slow ?? '', bytes)
    const second = await putPart(other ?? '', bytes)
    await second.arrayBuffer()
    assert.equal(second.status, 507)
    assert.equal((await first.finish()).status, 200)
    assert.ok((await disk.free()) > RESERVE)
  }))

test('deleting and cancelling work on a disk that another program has filled, even after a restart', (t) =>
  onSmallDisk(t, async (disk, start) => {
    let service = await start()
    const bytes = someBytes(2 * MB)
    const files = [
      await uploadFile(service.baseUrl, { bytes }),
      await uploadFile(service.baseUrl, { bytes }),
      await uploadFile(service.baseUrl, { bytes }),
    ]
    const open = await requestSession(service.baseUrl, { bytes })
    await putParts(open, bytes)
    await service.context.database.reserveDiskSpace()
    await disk.fill()
    assert.equal(await disk.free(), 0)
    const refused = await service.call('POST', `${API}/assets/signed`, { name: 'a', size: 1 })
    assert.deepEqual([refused.status, refused.body.code], [507, 'storage_full'])

    const remove = async (index: number) => {
      const response = await service.call('DELETE', `${API}/assets/${files[index]?.id}`)
      assert.equal(response.status, 202, JSON.stringify(response.body))
    }
    await remove(0)
    assert.equal((await cancel(service.baseUrl, open)).status, 200)
    await runJobs(service.context)
    assert.ok((await disk.free()) >= 4 * MB, `${await disk.free()} bytes are free`)
    assert.deepEqual(await service.context.database.listRemovals(1), [])

    await service.context.database.reserveDiskSpace()
    await service.close()
    await disk.fill()
    service = await start()
    await remove(1)
    await runJobs(service.context)
    assert.ok((await disk.free()) >= 2 * MB)
    assert.deepEqual(await download(service.baseUrl, files[2]?.id ?? ''), bytes)
    await assertUsageConsistent(service)
  }))

test('/readyz reports a disk that has only its reserve free, and the instance stays ready', (t) =>
  onSmallDisk(t, async (disk, start) => {
    let service = await start()
    const readDegraded = async (): Promise<string[] | undefined> => {
      const { status, body } = await service.call('GET', '/readyz')
      assert.deepEqual([status, body.status], [200, 'ready'])
      return body.degraded
    }
    assert.equal(await readDegraded(), undefined)
    const other = join(disk.folder, 'of-another-program')
    await writeFile(other, Buffer.alloc((await disk.free()) - RESERVE + MB, 1))
    assert.ok((await disk.free()) > 0)
    await service.close()
    service = await start()
    await until('the disk is reported', async () => (await readDegraded()) !== undefined)
    const [problem = '', ...others] = (await readDegraded()) ?? []
    assert.match(problem, /^the disk has only its reserve free, and uploads are refused/)
    assert.deepEqual(others, [])
    await rm(other)
    // The job runs once a minute.
    await createDiskWatch()(service.context)
    assert.equal(await readDegraded(), undefined)
  }))
