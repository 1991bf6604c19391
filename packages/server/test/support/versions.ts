import assert from 'node:assert/strict'
import type { Asset, UploadSession, Version } from '@stowage/protocol'
import type { JsonResponse, TestService } from '@stowage/testing/service/service'
import { API, complete, putParts } from '@stowage/testing/service/upload'

export interface NewVersion {
  bytes: Buffer
  name?: string
  mime?: string
}

/** Requests the replacement of a file. The service may refuse it. */
export function requestReplacement(
  { call }: TestService,
  id: string,
  { bytes, ...file }: NewVersion,
): Promise<JsonResponse> {
  return call('POST', `${API}/assets/${id}/signed`, { size: bytes.length, ...file })
}

/** Requests the replacement of a file. Fails unless the service returns a session. */
export async function startReplacement(
  service: TestService,
  id: string,
  version: NewVersion,
): Promise<UploadSession> {
  const response = await requestReplacement(service, id, version)
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

/** Replaces a file with all three steps. */
export async function replaceFile(
  service: TestService,
  id: string,
  version: NewVersion,
): Promise<Asset> {
  const session = await startReplacement(service, id, version)
  const parts = await putParts(session, version.bytes)
  const response = await complete(service.baseUrl, session, parts)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data
}

export async function versionsOf({ call }: TestService, id: string): Promise<Version[]> {
  const response = await call('GET', `${API}/assets/${id}/versions`)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data
}

/** The numbers of the versions. The current one has an asterisk: `2*`, `1`. */
export async function numbersOf(service: TestService, id: string): Promise<string[]> {
  const versions = await versionsOf(service, id)
  return versions.map(({ version, current }) => `${version}${current ? '*' : ''}`)
}

export function restore({ call }: TestService, id: string, version: number) {
  return call('POST', `${API}/assets/${id}/versions/${version}/restore`)
}

export function deleteVersion({ call }: TestService, id: string, version: number) {
  return call('DELETE', `${API}/assets/${id}/versions/${version}`)
}

export async function downloadVersion(
  { baseUrl }: TestService,
  id: string,
  version: number,
): Promise<Buffer> {
  const response = await fetch(`${baseUrl}${API}/assets/${id}/versions/${version}/download`)
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}
