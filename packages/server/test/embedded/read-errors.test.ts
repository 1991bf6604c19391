import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { ensureInstalled } from '@stowage/testing/machine/ensure-installed'
import { skipUnlessCi } from '@stowage/testing/machine/skip-unless-ci'
import { until } from '@stowage/testing/machine/until'
import type { Deployment } from '@stowage/testing/service/deployment'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { COMMAND, stowage } from '@stowage/testing/service/stowage-command'
import { API, callUrl, download, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { EngineUnavailable } from '../../src/errors.ts'
import { aServiceWithoutJobs, readAsset } from '../support/integrity.ts'
import { JOBS } from '../support/run-jobs.ts'

const BYTES = someBytes(2500)
const WEEK_MS = 7 * 86_400_000
const SMALL_PARTS = { STOWAGE_CHUNK_SIZE: '1000', STOWAGE_LOG: 'warn' }

/** The beginning of a command line: whenever the program reads this file, the kernel returns EIO. */
function withReadErrors(path: string): string[] {
  const inject = 'inject=pread64:error=EIO'
  return ['strace', '-D', '-f', '-P', path, '-e', 'trace=pread64', '-e', inject, '-o', '/dev/null']
}

async function missingForStrace(): Promise<string | undefined> {
  if (process.platform !== 'linux') return 'strace is only available on Linux'
  return ensureInstalled({ command: 'strace', packages: ['strace'] })
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
  path: string,
  deployment: Deployment,
  checksums: string,
) {
  const settings = { ...SMALL_PARTS, STOWAGE_CHECKSUMS: checksums }
  const service = await aServiceProcess(t, settings, deployment, withReadErrors(path))
  const asset = async (id: string) =>
    (await callUrl(`${service.baseUrl}${API}/assets/${id}`)).body.data
  return { ...service, asset }
}

test('a file that the disk cannot read becomes damaged, and every program reports it', async (t) => {
  const missing = await missingForStrace()
  if (missing !== undefined) return skipUnlessCi(t, missing)
  const { id, intact, path, deployment } = await twoFiles(t)

  const downloading = await aFailingService(t, path, deployment, 'off')
  const { baseUrl } = downloading
  await assert.rejects(download(baseUrl, id))
  await until('the damage is recorded', async () => (await downloading.asset(id)).damaged)
  assert.match(downloading.output().stderr, /the disk cannot read .*00002: Error: EIO/)
  assert.equal((await callUrl(`${baseUrl}${API}/assets/${id}/download`)).body.code, 'damaged')
  assert.deepEqual(await download(baseUrl, intact), BYTES)
  assert.equal(await downloading.stop('SIGTERM'), 0)

  const scrubbing = await aFailingService(t, path, deployment, 'on')
  const reported = () => scrubbing.output().stderr.match(/is damaged: the disk cannot read/g) ?? []
  await until('the scrub reports the file', () => reported().length > 0)
  await until('the scrub has read the other file', async () => {
    return (await scrubbing.asset(intact)).checksum !== null
  })
  assert.equal(await scrubbing.stop('SIGTERM'), 0)
  assert.equal(reported().length, 1)

  const { folder } = deployment
  const [program = '', ...options] = [...withReadErrors(path), process.execPath, COMMAND]
  const failing = promisify(execFile)(program, [...options, 'doctor', '--verify'], {
    env: { ...process.env, STOWAGE_DATA: folder },
  })
  await assert.rejects(failing, ({ code, stdout }) => {
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
