import type { Asset, CompletedPart, UploadSession } from '@stowage/protocol'
import { API, type ServerProcess, watchUsage } from '../processes/servers.ts'
import { type Request, sendLoad } from './send-load.ts'

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

const JSON_TYPE = { 'Content-Type': 'application/json' }
const MIME = 'application/zip'

/** A file of three parts. */
const FILE = { name: 'sample-pack.zip', size: 250_000_000, mime: MIME }

export const SESSION_METRICS = {
  sessionsPerSecond: { title: 'Sessions', unit: '/s', better: 'higher' },
  cpuMsPerSession: { title: 'CPU of the server per session', unit: 'ms', better: 'lower' },
  peakMegabytes: { title: 'Peak memory of the server', unit: 'MB', better: 'lower' },
} as const

export function sessionRequest(path = `${API}/assets/signed`): Request {
  return { method: 'POST', path, headers: JSON_TYPE, body: JSON.stringify(FILE) }
}

/** Uppy's client makes two calls: one to open the upload, one to sign its parts. */
export function companionRequests(): Request[] {
  const body = JSON.stringify({ filename: FILE.name, type: MIME })
  return [
    {
      method: 'POST',
      path: '/s3/multipart',
      headers: JSON_TYPE,
      body,
      onResponse(status, text, context) {
        if (status === 200) Object.assign(context, JSON.parse(text))
      },
    },
    {
      method: 'GET',
      setupRequest(request, context) {
        const { uploadId, key } = context as { uploadId: string; key: string }
        const query = new URLSearchParams({ key, partNumbers: '1,2,3' })
        const path = `/s3/multipart/${encodeURIComponent(uploadId)}/batch?${query}`
        return { ...request, path }
      },
    },
  ]
}

/** Opens upload sessions with several clients. A session takes one or more requests. */
export async function measureSessions(
  server: ServerProcess,
  options: { requests: Request[]; seconds: number; requestsPerSession?: number },
): Promise<Record<keyof typeof SESSION_METRICS, number>> {
  const { requestsPerSession = 1, ...load } = options
  const usage = await watchUsage([server.pid], () => sendLoad({ url: server.url, ...load }))
  const { perSecond, count } = usage.result
  return {
    sessionsPerSecond: perSecond / requestsPerSession,
    cpuMsPerSession: (usage.cpuSeconds * 1000) / (count / requestsPerSession),
    peakMegabytes: usage.peakMegabytes,
  }
}
