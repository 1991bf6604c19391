import assert from 'node:assert/strict'
import { readdir, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import { aSlowPut } from '@stowage/testing/service/connections'
import {
  JOBS,
  moveExpiryToPast,
  takeOverJobs,
  withoutRetention,
} from '@stowage/testing/service/jobs'
import { aService, type TestService } from '@stowage/testing/service/service'
import {
  cancel,
  complete,
  download,
  downloadUrl,
  putPart,
  requestSession,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { aRawConnection } from '../support/raw-connection.ts'

/* Runs in its own process: it counts the open files of the process. */

const SIZE = 4_000_000
const bytes = someBytes(SIZE)
/** More than the buffers of a connection hold. */
const LARGE = 40_000_000
/** More than the ten listeners that Node allows by default. */
const QUEUED = 15

/** The files of the service that are open. */
async function openFiles({ folder }: TestService): Promise<string[]> {
  const paths = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  )
  return paths.filter((path) => path.startsWith(folder))
}

/** The unfinished parts of an upload that use disk space, including files that are already unlinked. */
async function unfinishedParts(service: TestService, session: UploadSession): Promise<string[]> {
  const uploads = join(service.folder, 'storage', 'uploads')
  const own = (await readdir(uploads)).filter((name) => name.startsWith(session.id))
  const inFolder = await Promise.all(own.map((name) => readdir(join(uploads, name))))
  return [
    ...inFolder.flat().filter((name) => name.startsWith('incoming-')),
    ...(await openFiles(service)).filter((path) => path.endsWith('(deleted)')),
  ]
}

test('of thirty unfinished PUTs of one part, only the newest uses disk space', async (t) => {
  const service = await aService(t, {}, undefined, { ownThread: true })
  const session = await requestSession(service.baseUrl, { bytes })
  const { url = '' } = session.urls[0] ?? {}
  const slow = []
  for (let index = 0; index < 30; index += 1) slow.push(await aSlowPut(url, bytes))
  await until(
    'one unfinished part remains',
    async () => (await unfinishedParts(service, session)).length <= 1,
  )
  const newest = slow.pop()
  assert.equal((await newest?.finish())?.status, 200)
  for (const older of slow) assert.equal((await older.finish()).status, 409)
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('a part that is sent again replaces the attempt that its client abandoned', async (t) => {
  const service = await aService(t, {}, undefined, { ownThread: true })
  const session = await requestSession(service.baseUrl, { bytes })
  const { url = '' } = session.urls[0] ?? {}
  const older = await aSlowPut(url, Buffer.alloc(SIZE))
  const newer = await putPart(url, bytes)
  await newer.arrayBuffer()
  assert.equal(newer.status, 200)
  const { status, body } = await older.finish()
  assert.deepEqual([status, JSON.parse(body.toString()).code], [409, 'part_replaced'])
  assert.equal((await complete(service.baseUrl, session)).status, 200)
  assert.deepEqual(await download(service.baseUrl, session.id), bytes)
})

test('cancelling an upload ends its transfers and frees their disk space', async (t) => {
  const service = await aService(t, {}, undefined, { ownThread: true })
  const sessions: UploadSession[] = []
  const slow = []
  for (let index = 0; index < 10; index += 1) {
    const session = await requestSession(service.baseUrl, { bytes })
    slow.push(await aSlowPut(session.urls[0]?.url ?? '', bytes))
    sessions.push(session)
    assert.equal((await cancel(service.baseUrl, session)).status, 200)
  }
  for (const session of sessions) {
    const isFree = async () => (await unfinishedParts(service, session)).length === 0
    await until('the disk space is free', isFree)
  }
  for (const transfer of slow) {
    const response = await transfer.finish().catch(() => undefined)
    if (response !== undefined) assert.equal(response.status, 404)
  }
})

test('an upload that expires ends its transfers when its bytes are released', async (t) => {
  const service = await aService(t, {}, undefined, { ownThread: true })
  const context = withoutRetention(await takeOverJobs(service))
  const session = await requestSession(service.baseUrl, { bytes })
  const transfer = await aSlowPut(session.urls[0]?.url ?? '', bytes)
  await moveExpiryToPast(context, [session.id])
  await JOBS.expireUploads(context)
  const isFree = async () => (await unfinishedParts(service, session)).length === 0
  await until('the disk space is free', isFree)
  assert.equal((await transfer.finish()).status, 404)
})

test('when a client disconnects, its downloads that wait for an earlier response close their files', async (t) => {
  const service = await aService(t, {}, undefined, { ownThread: true })
  const warnings: Error[] = []
  const onWarning = (warning: Error) => warnings.push(warning)
  process.on('warning', onWarning)
  t.after(() => process.off('warning', onWarning))
  const countOpenObjects = async () =>
    (await openFiles(service)).filter((path) => path.includes('/objects/')).length
  const large = await uploadFile(service.baseUrl, { bytes: someBytes(LARGE) })
  const small = await uploadFile(service.baseUrl, { bytes })
  const first = await downloadUrl(service.baseUrl, large.id)
  const second = await downloadUrl(service.baseUrl, small.id)
  const urls = [first, ...Array<string>(QUEUED).fill(second)]
  const { socket } = aRawConnection(t, service.storageUrl)
  socket.pause()
  const requests = urls.map((text) => {
    const { pathname, search, host } = new URL(text)
    return `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  })
  socket.write(requests.join(''))
  await until('all downloads have started', async () => (await countOpenObjects()) === 1 + QUEUED)
  socket.destroy()
  await until('all files are closed', async () => (await countOpenObjects()) === 0, 20_000)
  assert.deepEqual(warnings, [])
})
