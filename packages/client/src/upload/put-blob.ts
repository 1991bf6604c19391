import { StowageError } from '../errors.ts'
import type { PutAnswer, PutOptions } from './source.ts'

/** As much of it as we use: the types of browsers are not loaded here. */
interface Xhr {
  upload: { onprogress: ((event: { loaded: number }) => void) | null }
  onloadend: (() => void) | null
  status: number
  responseText: string
  open(method: string, url: string): void
  send(body: Blob): void
  abort(): void
  getResponseHeader(name: string): string | null
}

type SendOptions = Pick<PutOptions, 'signal' | 'stallMs' | 'onSent'>

/** Without an XMLHttpRequest nobody tells how far it is: then it gets as long as a slow line takes. */
const SLOW_BYTES_PER_MS = 16

/** By XMLHttpRequest where there is one, as fetch tells no progress. */
export function putBlob(url: string, blob: Blob, options: SendOptions): Promise<PutAnswer> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Xhr }
  return XMLHttpRequest === undefined
    ? putByFetch(url, blob, options)
    : putByXhr(new XMLHttpRequest(), url, { blob, ...options })
}

function putByXhr(
  xhr: Xhr,
  url: string,
  { blob, signal, stallMs, onSent }: SendOptions & { blob: Blob },
): Promise<PutAnswer> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout>
    const end = (error?: unknown) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (error === undefined) return
      xhr.onloadend = null
      xhr.abort()
      reject(error)
    }
    const stop = () => end(signal.reason)
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => end(stalled(stallMs)), stallMs)
    }
    xhr.upload.onprogress = ({ loaded }) => {
      watch()
      onSent(loaded)
    }
    xhr.onloadend = () => {
      if (xhr.status === 0) return end(new StowageError('network', 'The connection broke.'))
      end()
      resolve({
        status: xhr.status,
        etag: xhr.getResponseHeader('etag'),
        body: xhr.responseText,
        retryAfter: xhr.getResponseHeader('retry-after'),
      })
    }
    signal.addEventListener('abort', stop, { once: true })
    watch()
    xhr.open('PUT', url)
    xhr.send(blob)
  })
}

async function putByFetch(
  url: string,
  blob: Blob,
  { signal, stallMs, onSent }: SendOptions,
): Promise<PutAnswer> {
  const allMs = Math.round(stallMs + blob.size / SLOW_BYTES_PER_MS)
  const clock = AbortSignal.timeout(allMs)
  try {
    const init = { method: 'PUT', body: blob, signal: AbortSignal.any([signal, clock]) }
    const response = await fetch(url, init)
    const body = await response.text()
    onSent(blob.size)
    const { status, headers } = response
    return { status, etag: headers.get('etag'), body, retryAfter: headers.get('retry-after') }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (clock.aborted) throw stalled(allMs)
    throw new StowageError('network', 'The connection broke.', { cause: error })
  }
}

export function stalled(ms: number): StowageError {
  return new StowageError('timeout', `No progress for ${ms / 1000} seconds.`)
}
