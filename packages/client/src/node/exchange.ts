import http from 'node:http'
import https from 'node:https'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { onAbort } from '../on-abort.ts'
import type { Exchange } from '../request.ts'
import type { Agents } from './put-range.ts'

/**
 * Makes the calls of uploads without fetch. The objects that fetch creates for each call survive many
 * garbage collections: with it, thousands of small files took hundreds of megabytes.
 */
export function createExchange(agents: Agents): Exchange {
  return async (url, init) => {
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
}

const decompress = promisify<Buffer, Buffer>(gunzip)

function send(
  url: string,
  { method, headers, body, signal }: Parameters<Exchange>[1],
  agents: Agents,
): Promise<{ response: http.IncomingMessage; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const isSecure = url.startsWith('https:')
    const request = (isSecure ? https : http).request(url, {
      method,
      agent: isSecure ? agents.https : agents.http,
      headers: {
        ...Object.fromEntries(headers),
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
