import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { TestContext } from 'node:test'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { JOBS, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService, type Deployment, type TestService } from '@stowage/testing/service/service'
import { API, callUrl, complete, putParts } from '@stowage/testing/service/upload'
import type { Environment } from '../../src/config/config.ts'

/** On disk, parts are small, so that files have several. */
export const CHECKSUM_SETTINGS = {
  STOWAGE_CHECKSUMS: 'on',
  ...(!isOnS3 && { STOWAGE_CHUNK_SIZE: '1000' }),
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A service whose jobs the test runs, with the context `own`. */
export async function aServiceWithoutJobs(
  t: TestContext,
  settings: Environment = {},
  deployment?: Deployment,
) {
  const service = await aService(t, { ...CHECKSUM_SETTINGS, ...settings }, deployment)
  const own = await takeOverJobs(service)
  return { service, computeChecksums: () => JOBS.computeChecksums(own), own }
}

/** Uploads a file with a declared digest. */
export async function uploadDeclared(
  { baseUrl, call }: TestService,
  bytes: Buffer,
  sha256: string,
): Promise<string> {
  const file = { name: 'a.bin', size: bytes.length, sha256 }
  const { status, body } = await call('POST', `${API}/assets/signed`, file)
  assert.equal(status, 201, JSON.stringify(body))
  const response = await complete(baseUrl, body, await putParts(body, bytes))
  assert.equal(response.status, 200)
  return body.id
}

export async function readAsset({ call }: TestService, id: string) {
  return (await call('GET', `${API}/assets/${id}`)).body.data
}

export function tryDownload({ baseUrl }: TestService, id: string) {
  return callUrl(`${baseUrl}${API}/assets/${id}/download`)
}
