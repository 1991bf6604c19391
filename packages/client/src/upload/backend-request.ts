import type { RetryOptions } from '../options.ts'
import { createRequest, type Request } from '../request.ts'
import type { SessionBackend } from './types.ts'

const BACKEND_TIMEOUT_MS = 60_000
const BACKEND_ADVICE = 'Check the backend of the page.'

/** Calls the functions of the backend instead of the service. Failures are retried in the same way. */
export function createBackendRequest(backend: SessionBackend, retry: RetryOptions): Request {
  return createRequest({
    baseUrl: '',
    timeoutMs: BACKEND_TIMEOUT_MS,
    retry,
    adviceFor: () => BACKEND_ADVICE,
    async fetch(input, init) {
      const { pathname, searchParams } = new URL(`${input}`, 'http://backend')
      const [id = '', name] = pathname.split('/').slice(-2)
      const { upload_id = searchParams.get('upload_id'), parts = [] } = JSON.parse(
        `${init?.body ?? '{}'}`,
      )
      const upload = { id, upload_id }
      const signal = init?.signal as AbortSignal
      if (name === 'uploaded') return backend.complete({ ...upload, parts }, signal)
      if (name === 'upload') return backend.renew(upload, signal)
      // Without a `cancel` function, the upload expires later.
      return backend.cancel?.(upload, signal) ?? Response.json({ data: upload })
    },
  })
}
