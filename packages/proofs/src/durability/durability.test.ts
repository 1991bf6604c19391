import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import {
  API,
  complete,
  download,
  putPart,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'
import { commandOf, saveResult } from '../reliability/result.ts'
import { checkDurability, readTrace } from './check-durability.ts'

const CALLS = [
  'rename,renameat,renameat2,mkdir,mkdirat,fsync,fdatasync',
  'write,writev,pwrite64,pwritev,sendto,sendmsg',
].join(',')

test('everything that a response promises is synced to the disk before the response is sent', async (t) => {
  const missing = await missingForStrace()
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const { statuses, checked, problems } = await traceUpload(t)
  // The session, three parts, the completion, the redirect and the file, the deletion.
  assert.deepEqual(statuses, [201, 200, 200, 200, 200, 302, 200, 202])
  assert.deepEqual(problems, [])
  t.diagnostic(`checked ${JSON.stringify(checked)}`)
  assert.ok(checked.files >= 3 && checked.renames >= 5 && checked.folders >= 2)
  await saveResult('durability', {
    command: commandOf(import.meta.filename),
    rows: {
      Responses: `${statuses.length}`,
      'Files that were synced before their rename': `${checked.files}`,
      'Renames whose folders were synced before the response': `${checked.renames}`,
      'New folders whose parent was synced before the response': `${checked.folders}`,
      'Commits that were synced before the response': `${checked.commits}`,
      Violations: '0',
    },
  })
})

async function missingForStrace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'strace is only available on Linux'
  return ensureInstalled('strace')
}

/** Runs one upload of two parts, one of which is sent twice, its download and its deletion. */
async function traceUpload(t: TestContext) {
  const log = join(await aFolder(t), 'trace')
  // With -D, the process that we start becomes the service, and strace runs beside it.
  const wrapper = ['strace', '-D', '-f', '-y', '-s', '300', '-e', `trace=${CALLS}`, '-o', log]
  const settings = { STOWAGE_CHUNK_SIZE: '1000', STOWAGE_LOG: 'warn', UV_USE_IO_URING: '0' }
  const service = await aServiceProcess(t, settings, undefined, wrapper)
  const { baseUrl } = service
  const bytes = someBytes(1_500)
  const session = await requestSession(baseUrl, { bytes })
  for (const index of [0, 1, 1]) {
    const part = session.urls[index]
    assert.ok(part)
    const { status } = await putPart(part.url, bytes.subarray(part.start, part.end))
    assert.equal(status, 200)
  }
  assert.equal((await complete(baseUrl, session)).status, 200)
  assert.deepEqual(await download(baseUrl, session.id), bytes)
  const deleted = await callJson(`${baseUrl}${API}/assets/${session.id}`, { method: 'DELETE' })
  assert.equal(deleted.status, 202)
  assert.equal(await service.stop('SIGTERM'), 0)
  let trace = ''
  await until('strace has written its log', async () => {
    trace = await readFile(log, 'utf8')
    return new RegExp(`^${service.pid} +\\+\\+\\+ exited`, 'm').test(trace)
  })
  return checkDurability(readTrace(trace), {
    folder: service.deployment.folder,
    commits: new Set([0, 4, 7]),
  })
}
