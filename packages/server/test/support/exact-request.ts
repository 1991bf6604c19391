import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import type { Answer } from '@stowage/testing/service/service'

export interface ExactRequest {
  method: string
  path: string
  headers?: Record<string, string | string[]> | undefined
  body?: string | Buffer | undefined
}

/** Sends what `fetch` would mend or refuse: dots in the path, broken encoding, a foreign Host. */
export async function sendExactly(baseUrl: string, exact: ExactRequest): Promise<Answer> {
  const { method, path, body, headers = {} } = exact
  const isChunked = 'transfer-encoding' in headers
  const length =
    body === undefined || isChunked ? {} : { 'content-length': Buffer.byteLength(body) }
  const { hostname, port } = new URL(baseUrl)
  // Without an agent of this kind, Node would send `Connection: close`, as no browser does.
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
    // Who has the answer does not mind that the rest of the body found no reader.
    sent.on('error', () => {})
    const chunks: Buffer[] = await Array.fromAsync(response)
    return toAnswer(response.statusCode ?? 0, response.rawHeaders, Buffer.concat(chunks).toString())
  } finally {
    agent.destroy()
  }
}

/** Sends letters that no HTTP library would, and reads until the other side closes. */
export async function sendText(baseUrl: string, text: string): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  socket.write(Buffer.from(text, 'latin1'))
  const chunks: Buffer[] = await Array.fromAsync(socket)
  const [head = '', ...rest] = Buffer.concat(chunks).toString().split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers = lines.flatMap((line) => line.split(/: (.*)/).slice(0, 2))
  return toAnswer(Number(statusLine.split(' ')[1]), headers, rest.join('\r\n\r\n'))
}

/** `rawHeaders` has names and values by turns. */
function toAnswer(status: number, rawHeaders: string[], text: string): Answer {
  const headers = new Headers()
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    headers.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '')
  }
  const isJson = headers.get('content-type')?.startsWith('application/json')
  return { status, headers, body: isJson ? JSON.parse(text) : text }
}
