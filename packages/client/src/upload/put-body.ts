import { StowageError, stalled } from '../errors.ts'
import { onAbort } from '../retry-policy.ts'
import type { PutAnswer, PutOptions } from './source.ts'

/** As much of it as we use: the types of browsers are not loaded here. */
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

/** In memory, or a file that the browser reads. */
type Body = Blob | Uint8Array<ArrayBuffer>

type SendOptions = Pick<PutOptions, 'signal' | 'stallMs' | 'onSent'>

/** Without an XMLHttpRequest nobody tells how far it is: then it gets as long as a slow line takes. */
const SLOW_BYTES_PER_MS = 16

/** So many times as long as between two bytes: the storage has to put a whole part in safety. */
export const ANSWER_STALLS = 2

/** By XMLHttpRequest where there is one, as fetch tells no progress. */
export async function putBody(
  url: string,
  body: Body,
  { signal, stallMs, onSent }: SendOptions,
): Promise<PutAnswer> {
  const { XMLHttpRequest } = globalThis as unknown as { XMLHttpRequest?: new () => Xhr }
  const size = body instanceof Uint8Array ? body.length : body.size
  const stalling = new AbortController()
  const either = AbortSignal.any([signal, stalling.signal])
  let timer: ReturnType<typeof setTimeout> | undefined
  // fetch does not tell, so it gets the benefit of the doubt.
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
        watch(stallMs * (bytes < size ? 1 : ANSWER_STALLS))
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
): Promise<PutAnswer> {
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => xhr.abort())
    xhr.upload.onprogress = ({ loaded }) => onSent(loaded)
    xhr.onloadend = () => {
      forget()
      const header = (name: string) => xhr.getResponseHeader(name)
      if (xhr.status === 0) reject()
      else resolve({ status: xhr.status, body: xhr.responseText, header })
    }
    xhr.open('PUT', url)
    xhr.send(body)
  })
}

async function putByFetch(url: string, body: Body, signal: AbortSignal): Promise<PutAnswer> {
  const response = await fetch(url, { method: 'PUT', body, signal })
  const { status, headers } = response
  return { status, body: await response.text(), header: (name) => headers.get(name) }
}

/** `connected: false` among its facts: nothing was sent, so that the storage may never have been reached. */
export function broken(cause: unknown, connected = true): StowageError {
  const message = connected
    ? 'The connection broke.'
    : 'No connection to the storage. Check its URL and, in a page, its CORS rules (stowage doctor).'
  return new StowageError('network', message, { cause, facts: { connected } })
}
