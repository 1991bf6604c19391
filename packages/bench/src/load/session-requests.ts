import { API } from '../processes/stowage.ts'
import type { Request } from './send-load.ts'

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
