import type { Asset, CompletedPart, UploadSession } from '@stowage/protocol'
import { API } from '../processes/stowage.ts'

async function call<Body>(url: string, body: unknown): Promise<Body> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text.slice(0, 300)}`)
  return JSON.parse(text)
}

/** `chunkSize` is the maximum size of a part. The default is that of the service. */
export function requestSession(
  baseUrl: string,
  size: number,
  chunkSize?: number,
): Promise<UploadSession> {
  const file = { name: 'sample-pack.zip', size, mime: 'application/zip', max_chunk_size: chunkSize }
  return call(`${baseUrl}${API}/assets/signed`, file)
}

export function completeUpload(
  baseUrl: string,
  { id, upload_id }: UploadSession,
  parts: CompletedPart[],
): Promise<{ data: Asset }> {
  return call(`${baseUrl}${API}/assets/${id}/uploaded`, { upload_id, parts })
}

/** The service removes the parts before it responds. */
export function cancelUpload(baseUrl: string, { id, upload_id }: UploadSession): Promise<unknown> {
  return call(`${baseUrl}${API}/assets/${id}/cancel`, { upload_id })
}
