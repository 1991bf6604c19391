import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { onAbort } from '../on-abort.ts'
import type { CallResponse, Exchange, ExchangeInit } from '../request.ts'
import { http, https } from './http-modules.ts'
import type { Agents } from './put-range.ts'

/**
 * Makes calls without fetch: loading it takes up to a third of the CPU time of a short command of the CLI.
 * The objects that fetch creates for each call also survive many garbage collections: with fetch, uploads
 * of thousands of small files took hundreds of megabytes.
 */
export function createExchange(agents: Agents): Exchange {
  async function exchange(url: string, init: ExchangeInit): Promise<CallResponse> {
    const { response, body } = await send(url, init, agents)
    const { statusCode: status = 0, headers } = response
    // Redirects are rare, and fetch follows them. The service has not acted on the request yet.
    if (status >= 300 && status < 400) return fetch(url, init as RequestInit)
    const isCompressed = headers['content-encoding'] === 'gzip'
    return {
      ok: status >= 200 && status < 300,
      status,
      headers: { get: (name) => headers[name.toLowerCase()]?.toString() ?? null },
      text: async () => (isCompressed ? await decompress(body) : body).toString(),
    }
  }
  return Object.assign(exchange, { checkHeaders })
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-5.5 */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

/** Checks the values as `Headers` does, which is not used because it would load fetch. */
function checkHeaders(headers: Record<string, string>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [name, value.trim()] as const)
  for (const [name, value] of entries) {
    if (!HEADER_VALUE.test(value)) {
      throw new TypeError(`Invalid character in the header ${name}. Check the API key.`)
    }
  }
  return Object.fromEntries(entries)
}

const decompress = promisify<Buffer, Buffer>(gunzip)

function send(
  url: string,
  { method, headers, body, signal }: ExchangeInit,
  agents: Agents,
): Promise<{ response: IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith('https:')
    const request = (isSecure ? https : http).request(url, {
      method,
      agent: isSecure ? agents.https : agents.http,
      headers: {
        ...(headers as Record<string, string>),
        'Accept-Encoding': 'gzip',
        ...(body !== undefined && { 'Content-Length': Buffer.byteLength(body) }),
      },
    })
    const removeListener = onAbort(signal, () => request.destroy(new Error('aborted')))
    const fail = (error: Error) => {
      removeListener()
      reject(error)
    }
    request.once('error', fail)
    request.once('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', fail)
      response.once('end', () => {
        removeListener()
        resolve({ response, body: Buffer.concat(chunks) })
      })
    })
    request.end(body)
  })
}
