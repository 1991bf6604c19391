import assert from 'node:assert/strict'
import type { Asset, AssetPage, CompletedPart, UploadSession } from '@stowage/protocol'
import { callJson } from './service.ts'

export const API = '/api/v1'

/** Pseudo-random bytes for a seed. A shorter length returns the beginning of the same bytes. */
export function someBytes(length: number, seed = 1): Buffer {
  const words = new Uint32Array(Math.ceil(length / 4))
  // Marsaglia's xorshift: four bytes per step. The state must not be 0, because it would stay 0.
  let state = Math.imul(seed, 2_654_435_761) | 1
  for (let index = 0; index < words.length; index += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    words[index] = state
  }
  return Buffer.from(words.buffer, 0, length)
}

interface FileToSend {
  name?: string
  bytes: Buffer
  mime?: string
}

/** Step one: requests an upload session. Fails unless the service returns one. */
export async function requestSession(
  baseUrl: string,
  { name = 'file.bin', bytes, mime = 'application/octet-stream' }: FileToSend,
): Promise<UploadSession> {
  const url = `${baseUrl}${API}/assets/signed`
  const body = { name, size: bytes.length, mime }
  const response = await callJson(url, { method: 'POST', body })
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body
}

export async function putPart(url: string, bytes: Buffer): Promise<Response> {
  return fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })
}

/** Step two: sends all parts, the last one first. */
export async function putParts(session: UploadSession, bytes: Buffer): Promise<CompletedPart[]> {
  return Promise.all(
    session.urls.toReversed().map(async ({ part, start, end, url }) => {
      const response = await putPart(url, bytes.subarray(start, end))
      assert.equal(response.status, 200, await response.text())
      return { PartNumber: part, ETag: (response.headers.get('etag') ?? '').replaceAll('"', '') }
    }),
  )
}

/** Step three: completes the upload. */
export function complete(
  baseUrl: string,
  session: UploadSession,
  parts?: CompletedPart[],
  method = 'POST',
) {
  const url = `${baseUrl}${API}/assets/${session.id}/uploaded`
  return callJson(url, { method, body: { upload_id: session.upload_id, parts } })
}

export function cancel(baseUrl: string, session: UploadSession) {
  const url = `${baseUrl}${API}/assets/${session.id}/cancel`
  return callJson(url, { method: 'POST', body: { upload_id: session.upload_id } })
}

/** Uploads a file with all three steps. */
export async function uploadFile(baseUrl: string, file: FileToSend): Promise<Asset> {
  const session = await requestSession(baseUrl, file)
  const parts = await putParts(session, file.bytes)
  const response = await complete(baseUrl, session, parts)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  return response.body.data
}

export async function download(baseUrl: string, id: string): Promise<Buffer> {
  const response = await fetch(`${baseUrl}${API}/assets/${id}/download`)
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

/** The signed URL that the service redirects a download to. */
export async function downloadUrl(baseUrl: string, id: string): Promise<string> {
  const response = await callUrl(`${baseUrl}${API}/assets/${id}/download`)
  assert.equal(response.status, 302)
  return response.headers.get('location') ?? ''
}

/** The signature in the signed URL of a part or a file, on any storage. */
export function signatureOf(url: string): string {
  const query = new URL(url).searchParams
  return query.get('signature') ?? query.get('X-Amz-Signature') ?? ''
}

export function callUrl(url: string) {
  return callJson(url, { method: 'GET' })
}

/** Returns all assets that match the query, from all pages. */
export async function listAll(baseUrl: string, query = ''): Promise<Asset[]> {
  const assets: Asset[] = []
  let next: string | null = `${baseUrl}${API}/assets?limit=200${query}`
  while (next !== null) {
    const page: AssetPage = (await callJson(next, { method: 'GET' })).body
    assets.push(...page.data)
    next = page.links.next
  }
  return assets
}
