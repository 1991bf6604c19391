import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import type { JsonResponse } from '@stowage/testing/service/service'

export interface ExactRequest {
  method: string
  path: string
  headers?: Record<string, string | string[]> | undefined
  body?: string | Buffer | undefined
}

/** Sends requests that `fetch` would correct or refuse: dots in the path, broken encoding, another Host. */
export async function sendExactly(baseUrl: string, exact: ExactRequest): Promise<JsonResponse> {
  const { method, path, body, headers = {} } = exact
  const isChunked = 'transfer-encoding' in headers
  const length =
    body === undefined || isChunked ? {} : { 'content-length': Buffer.byteLength(body) }
  const { hostname, port } = new URL(baseUrl)
  // A separate agent, so that its connection can be closed. Like browsers, it sends `Connection: keep-alive`.
  const agent = new Agent({ keepAlive: true })
  try {
    const sent = request({
      hostname,
      port,
      method,
      path,
      agent,
      headers: { ...length, ...headers },
    })
    sent.end(body)
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    // After the response, it is no error that the server does not read the rest of the body.
    sent.on('error', () => {})
    const chunks: Buffer[] = await Array.fromAsync(response)
    return toResponse(
      response.statusCode ?? 0,
      response.rawHeaders,
      Buffer.concat(chunks).toString(),
    )
  } finally {
    agent.destroy()
  }
}

/** Sends raw text that no HTTP library would send, and reads until the server closes the connection. */
export async function sendText(baseUrl: string, text: string): Promise<JsonResponse> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.write(Buffer.from(text, 'latin1'))
  const chunks: Buffer[] = await Array.fromAsync(socket)
  const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.flatMap((line) => line.split(/: (.*)/).slice(0, 2))
  return toResponse(Number(statusLine.split(' ')[1]), headers, rest.join('\r\n\r\n'))
}

/** `rawHeaders` alternates between names and values. */
function toResponse(status: number, rawHeaders: string[], text: string): JsonResponse {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, headers, body: isJson ? JSON.parse(text) : text }
}
