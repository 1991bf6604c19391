import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { ensureInstalled, skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { JOBS } from '@stowage/testing/service/jobs'
import type { Deployment } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { COMMAND, stowage } from '@stowage/testing/service/stowage-command'
import {
  API,
  callUrl,
  download,
  downloadUrl,
  someBytes,
  uploadFile,
} from '@stowage/testing/service/upload'
import { EngineUnavailable } from '../../src/domain/errors.ts'
import { aServiceWithoutJobs, readAsset, tryDownload } from '../support/integrity.ts'

const BYTES = someBytes(2500)
const WEEK_MS = 7 * 86_400_000
const SMALL_PARTS = { STOWAGE_CHUNK_SIZE: '1000', STOWAGE_LOG: 'warn' }

type Fault = 'pread64:error=EIO' | 'openat:error=EACCES'

/** The beginning of a command line: whenever the program reads or opens this file, the kernel returns the error. */
function withReadErrors(path: string, fault: Fault = 'pread64:error=EIO'): string[] {
  const trace = `trace=${fault.split(':')[0]}`
  const options = ['-P', path, '-e', trace, '-e', `inject=${fault}`, '-o', '/dev/null']
  return ['strace', '-D', '-f', ...options]
}

async function missingForStrace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'strace is only available on Linux'
  return ensureInstalled('strace')
}

/** Two files of three parts, and the path of the second part of the first one. */
async function twoFiles(t: TestContext) {
  const first = await aServiceProcess(t, { ...SMALL_PARTS, STOWAGE_CHECKSUMS: 'off' })
  const { id } = await uploadFile(first.baseUrl, { name: 'bad.bin', bytes: BYTES })
  const intact = await uploadFile(first.baseUrl, { name: 'intact.bin', bytes: BYTES })
  await first.stop('SIGTERM')
  const { deployment } = first
  const path = join(deployment.folder, 'storage/objects', id.slice(-2), id, '00002')
  return { id, intact: intact.id, path, deployment }
}

/** A service that cannot read the file, and a function that returns an asset as the service shows it. */
async function aFailingService(
  t: TestContext,
  { deployment, launcher }: { deployment: Deployment; launcher: string[] },
  checksums: string,
) {
  const settings = { ...SMALL_PARTS, STOWAGE_CHECKSUMS: checksums }
  const service = await aServiceProcess(t, settings, deployment, launcher)
  const asset = async (id: string) =>
    (await callUrl(`${service.baseUrl}${API}/assets/${id}`)).body.data
  return { ...service, asset }
}

test('a file that the disk cannot read becomes damaged, and the service and doctor report it', async (t) => {
  const missing = await missingForStrace()
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const { id, intact, path, deployment } = await twoFiles(t)

  const failing = { deployment, launcher: withReadErrors(path) }
  const downloading = await aFailingService(t, failing, 'off')
  const { baseUrl } = downloading
  const second = { headers: { Range: 'bytes=1000-' } }
  const refused = await fetch(await downloadUrl(baseUrl, id), second)
  assert.equal(refused.status, 503)
  assert.equal((await refused.json()).code, 'storage_unavailable')
  await until('the damage is recorded', async () => (await downloading.asset(id)).damaged)
  assert.match(downloading.output().stderr, /the disk cannot read .*00002: Error: EIO/)
  assert.equal((await callUrl(`${baseUrl}${API}/assets/${id}/download`)).body.code, 'damaged')
  assert.deepEqual(await download(baseUrl, intact), BYTES)
  assert.equal(await downloading.stop('SIGTERM'), 0)

  const denied = { deployment, launcher: withReadErrors(path, 'openat:error=EACCES') }
  const scrubbing = await aFailingService(t, denied, 'on')
  const reported = () =>
    scrubbing.output().stderr.match(/is damaged: the disk cannot read .*EACCES/g) ?? []
  await until('the scrub reports the file', () => reported().length > 0)
  await until('the scrub has read the other file', async () => {
    return (await scrubbing.asset(intact)).checksum !== null
  })
  assert.equal(await scrubbing.stop('SIGTERM'), 0)
  assert.equal(reported().length, 1)

  const { folder } = deployment
  const [program = '', ...options] = [...withReadErrors(path), process.execPath, COMMAND]
  const examining = promisify(execFile)(program, [...options, 'doctor', '--verify'], {
    env: { ...process.env, STOWAGE_DATA: folder },
  })
  await assert.rejects(examining, ({ code, stdout }) => {
    assert.equal(code, 1)
    assert.match(stdout, /damaged files: 1$/m)
    assert.match(stdout, new RegExp(`- ${id} bad.bin: the disk cannot read .*00002: Error: EIO`))
    return true
  })
  // The disk can read the file again.
  const { code, stdout } = await stowage({ STOWAGE_DATA: folder }, 'doctor', '--verify')
  assert.equal(code, 0, stdout)
})

test('while the disk is not mounted, no file becomes damaged', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t)
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await JOBS.computeChecksums(own)
  const folder = join(service.folder, 'storage')
  await rename(folder, `${folder}-away`)
  const settings = { ...own.settings, scrubEveryMs: WEEK_MS }
  await assert.rejects(JOBS.scrubFiles({ ...own, settings }), EngineUnavailable)
  await rename(`${folder}-away`, folder)
  assert.equal((await readAsset(service, id)).damaged, false)
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
})

test('a download of a file that the storage has lost marks the file as damaged', async (t) => {
  const { service, own } = await aServiceWithoutJobs(t)
  const warnings: string[] = []
  service.context.warn = (message) => void warnings.push(message)
  const lost = await uploadFile(service.baseUrl, { bytes: BYTES })
  const deleted = await uploadFile(service.baseUrl, { bytes: BYTES })
  const urls = [
    await downloadUrl(service.baseUrl, deleted.id),
    await downloadUrl(service.baseUrl, lost.id),
  ]
  await service.call('DELETE', `${API}/assets/${deleted.id}?permanent=true`)
  for (const { id } of [deleted, lost]) await own.storage.removeObject(id)
  for (const url of urls) assert.equal((await callUrl(url)).body.code, 'object_not_found')
  await until('the damage is recorded', async () => (await readAsset(service, lost.id)).damaged)
  assert.equal((await tryDownload(service, lost.id)).body.code, 'damaged')
  // The deleted file is not reported.
  assert.equal(warnings.length, 1)
  assert.match(warnings.join(), new RegExp(`${lost.id} is damaged: a download did not find it`))
})
