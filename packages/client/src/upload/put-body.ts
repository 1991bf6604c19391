import { StowageError, stalled } from '../errors.ts'
import { onAbort } from '../pause.ts'
import type { PutOptions, PutResponse } from './source.ts'

/** The part of XMLHttpRequest that is used here: the types of browsers are not loaded. */
interface Xhr {
  upload: { onprogress: ((event: { loaded: number }) => void) | null }
  onloadend: (() => void) | null
  status: number
  responseText: string
  open(method: string, url: string): void
  send(body: Body): void
  abort(): void
  getResponseHeader(name: string): string | null
}

/** Bytes in memory, or a file that the browser reads. */
type Body = Blob | Uint8Array<ArrayBuffer>

type SendOptions = Pick<PutOptions, 'signal' | 'stallMs' | 'onSent'>

/** fetch reports no progress, so its time limit assumes a slow connection. */
const SLOW_BYTES_PER_MS = 16

/** The response may take this many times `stallMs`: the storage has to persist the whole part first. */
export const RESPONSE_STALLS = 2

/** Sends a body with XMLHttpRequest if it exists, because fetch reports no progress. */
export async function putBody(
  url: string,
  body: Body,
  { signal, stallMs, onSent }: SendOptions,
): Promise<PutResponse> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Xhr }
  const size = body instanceof Uint8Array ? body.length : body.size
  const stalling = new AbortController()
  const either = AbortSignal.any([signal, stalling.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  // fetch does not report whether it connected, so assume that it did.
  let isConnected = XMLHttpRequest === undefined
  const watch = (ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => stalling.abort(stalled(ms)), ms)
  }
  try {
    watch(XMLHttpRequest ? stallMs : stallMs + size / SLOW_BYTES_PER_MS)
    if (XMLHttpRequest === undefined) return await putByFetch(url, body, either)
    return await putByXhr(new XMLHttpRequest(), url, {
      body,
      signal: either,
      onSent(bytes) {
        watch(stallMs * (bytes < size ? 1 : RESPONSE_STALLS))
        isConnected = true
        onSent(bytes)
      },
    })
  } catch (error) {
    throw either.aborted ? either.reason : broken(error, isConnected)
  } finally {
    clearTimeout(timer)
  }
}

function putByXhr(
  xhr: Xhr,
  url: string,
  { body, signal, onSent }: Pick<SendOptions, 'signal' | 'onSent'> & { body: Body },
): Promise<PutResponse> {
  return new Promise((resolve, reject) => {
    const removeListener = onAbort(signal, () => xhr.abort())
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded)
    xhr.onloadend = () => {
      removeListener()
      const header = (name: string) => xhr.getResponseHeader(name)
      if (xhr.status === 0) reject()
      else resolve({ status: xhr.status, body: xhr.responseText, header })
    }
    xhr.open('PUT', url)
    xhr.send(body)
  })
}

async function putByFetch(url: string, body: Body, signal: AbortSignal): Promise<PutResponse> {
  const response = await fetch(url, { method: 'PUT', body, signal })
  const { status, headers } = response
  return { status, body: await response.text(), header: (name) => headers.get(name) }
}

/** The fact `connected: false` means that nothing was sent: the storage may be unreachable. */
export function broken(cause: unknown, connected = true): StowageError {
  const message = connected
    ? 'The connection broke.'
    : 'No connection to the storage. Check its URL and, in a page, its CORS rules (stowage doctor).'
  return new StowageError('network', message, { cause, facts: { connected } })
}
