import type { OutgoingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { http, https } from '../../node-http/http-modules.ts'
import { CALL_TIMEOUT_MS } from './bounded-send.ts'

export interface PostClient {
  /** Sends a POST without a body, retries temporary failures, and returns the response body. */
  post(url: string, headers: OutgoingHttpHeaders): Promise<string>
  close(): void
}

interface Response {
  status: number
  text: string
}

const MAX_ATTEMPTS = 3
const BASE_PAUSE_MS = 50
const MAX_SOCKETS = 128
/** The response with an upload ID has a few hundred bytes. */
const MAX_RESPONSE_LENGTH = 64 * 1024

/** A plain HTTP client with persistent connections, for the S3 call that opens an upload. */
export function openPostClient(origin: string): PostClient {
  const isPlain = origin.startsWith('http:')
  const { request, Agent } = isPlain ? http : https
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
  })

  function once(url: string, headers: OutgoingHttpHeaders): Promise<Response> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': 0 } }
      const sent = request(url, options, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
          if (text.length > MAX_RESPONSE_LENGTH)
            sent.destroy(new Error('the response of the storage is too long'))
        })
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
        response.on('error', reject)
      })
      // Includes the time until a connection is free.
      const deadline = setTimeout(() => sent.destroy(timeout()), CALL_TIMEOUT_MS)
      sent.on('close', () => clearTimeout(deadline))
      sent.on('error', reject)
      sent.end()
    })
  }

  return {
    async post(url, headers) {
      for (let attempt = 1; ; attempt += 1) {
        const result = await once(url, headers).catch((error: unknown) => error)
        if (isResponse(result) && result.status === 200) return result.text
        if (!isTemporary(result) || attempt === MAX_ATTEMPTS) throw toError(result)
        await pause(BASE_PAUSE_MS * 2 ** attempt)
      }
    },
    close: () => agent.destroy(),
  }
}

/** Not retried, as the caller has waited long enough. */
function timeout(): Error {
  return Object.assign(new Error('the storage does not respond'), { code: 'ETIMEDOUT' })
}

function isTemporary(result: unknown): boolean {
  if (isResponse(result)) return result.status >= 500 || result.status === 429
  return !(result instanceof Error && 'code' in result && result.code === 'ETIMEDOUT')
}

function isResponse(result: unknown): result is Response {
  return typeof result === 'object' && result !== null && 'status' in result
}

function toError(result: unknown): unknown {
  if (!isResponse(result)) return result
  return new Error(`the storage refused with ${result.status}: ${result.text.slice(0, 300)}`)
}
