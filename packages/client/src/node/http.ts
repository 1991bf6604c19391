import type { FileHandle } from 'node:fs/promises'
import type { Agent as HttpAgent, IncomingMessage } from 'node:http'
import type { Agent as HttpsAgent } from 'node:https'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { StowageError, stalled } from '../errors.ts'
import { onAbort } from '../pause.ts'
import type { CallResponse, Exchange, ExchangeInit } from '../request.ts'
import { broken, RESPONSE_STALLS } from '../upload/put-body.ts'
import type { PutOptions, PutResponse, Range } from '../upload/source.ts'

/**
 * Makes calls without fetch: loading it takes up to a third of the CPU time of a short command of the CLI.
 * The objects that fetch creates for each call also survive many garbage collections: with fetch, uploads
 * of thousands of small files took hundreds of megabytes.
 */
export function createExchange(agents: Agents): Exchange {
  async function exchange(url: string, init: ExchangeInit): Promise<CallResponse> {
    const { response, body } = await sendRequest(url, init, agents)
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

function sendRequest(
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

export interface PutSettings extends Pick<PutOptions, 'signal' | 'stallMs' | 'onSent'> {
  agents: Agents
}

export interface PutRangeOptions extends PutSettings {
  file: FileHandle
  range: Range
  /** A block that holds the bytes of the range, if they were read before. */
  content?: Buffer | undefined
  /** Called with the bytes, in order. */
  onBytes(bytes: Buffer): void
  /** Called once all bytes are read, before the last ones are sent. If it rejects, so does the PUT. */
  onRead(): Promise<void>
}

export interface Agents {
  http: HttpAgent
  https: HttpsAgent
  /** Free blocks, for the next parts: discarded blocks would accumulate until the next garbage collection. */
  blocks: Buffer[]
}

/** Keeps connections open between parts. */
export function openAgents(): Agents {
  const options = { keepAlive: true, maxSockets: Infinity }
  return { http: new http.Agent(options), https: new https.Agent(options), blocks: [] }
}

/** The size of a block. A part that needs more than one uses two: while one is sent, the other is filled. */
export const BLOCK = 1024 * 1024
/** Enough for the parts that are sent at the same time. */
const MAX_FREE_BLOCKS = 24

export function takeBlock({ blocks }: Agents): Buffer {
  return blocks.pop() ?? Buffer.allocUnsafeSlow(BLOCK)
}

export function returnBlocks({ blocks }: Agents, ...free: Buffer[]): void {
  if (blocks.length < MAX_FREE_BLOCKS) blocks.push(...free)
}

/** Sends a range of a file. */
export function putRange(url: string, options: PutRangeOptions): Promise<PutResponse> {
  const { start, end } = options.range
  return sendPut(url, { ...options, length: end - start }, (to) => sendBlocks(options, to))
}

/** Sends bytes in memory. */
export function putBytes(
  url: string,
  bytes: Uint8Array,
  settings: PutSettings,
): Promise<PutResponse> {
  const { length } = bytes
  return sendPut(url, { ...settings, length }, async (to) => {
    for (let at = 0; at < length && !to.isOver(); at += BLOCK) {
      await to.write(bytes.subarray(at, at + BLOCK))
      to.onSent(Math.min(length, at + BLOCK))
    }
  })
}

interface RequestBody {
  write(bytes: Uint8Array): Promise<void>
  isOver(): boolean
  onSent(bytes: number): void
}

/** Does not use fetch, which copies every chunk and supports no stream of a known length. */
function sendPut(
  url: string,
  settings: PutSettings & { length: number },
  sendBody: (to: RequestBody) => Promise<void>,
): Promise<PutResponse> {
  const { length, agents, signal, stallMs } = settings
  const isSecure = url.startsWith('https:')
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).request(url, {
      method: 'PUT',
      agent: isSecure ? agents.https : agents.http,
      headers: { 'Content-Length': length },
    })
    let timer: NodeJS.Timeout
    let isOver = false
    let isConnected = false

    function end(error?: unknown): void {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      if (error === undefined) return
      request.destroy()
      reject(error)
    }

    const stop = () => end(signal.reason)
    const watch = (ms: number) => {
      clearTimeout(timer)
      timer = setTimeout(() => end(stalled(ms)), ms)
    }

    request.once('response', (response) => {
      const { statusCode: status = 0, headers } = response
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.once('error', (error) => end(broken(error)))
      response.once('end', () => {
        if (isOver) return
        end()
        // A response before the last byte was sent is an error: do not send the rest.
        if (!request.writableFinished) request.destroy()
        const body = Buffer.concat(chunks).toString()
        resolve({ status, body, header: (name) => headers[name]?.toString() ?? null })
      })
    })
    request.on('error', (error) => end(broken(error, isConnected)))
    signal.addEventListener('abort', stop, { once: true })
    watch(stallMs)

    const write = (bytes: Uint8Array) =>
      new Promise<void>((done, failed) => {
        request.write(bytes, (error) => (error ? failed(broken(error, isConnected)) : done()))
      })

    sendBody({
      write,
      isOver: () => isOver,
      onSent(bytes) {
        isConnected = true
        if (!isOver) watch(stallMs * (bytes < length ? 1 : RESPONSE_STALLS))
        settings.onSent(bytes)
      },
    })
      .then(() => !isOver && request.end())
      .catch(end)
  })
}

async function sendBlocks(
  { file, range, content, agents, onBytes, onRead }: PutRangeOptions,
  to: RequestBody,
): Promise<void> {
  const { start, end } = range
  const blocks = [content ?? takeBlock(agents)]
  if (end - start > BLOCK) blocks.push(takeBlock(agents))
  let sending: Promise<void> = Promise.resolve()
  for (let at = start, turn = 0; at < end && !to.isOver(); turn += 1) {
    // With a single block, the rest after an incomplete read has to wait.
    if (blocks.length === 1) await sending
    const block = blocks[turn % blocks.length] as Buffer
    const wanted = Math.min(BLOCK, end - at)
    const bytesRead = content ? wanted : (await file.read(block, 0, wanted, at)).bytesRead
    if (bytesRead === 0)
      throw new StowageError(
        'file_changed',
        'The file became shorter during its upload. Upload it again to start over.',
      )
    const bytes = block.subarray(0, bytesRead)
    onBytes(bytes)
    at += bytesRead
    // The last bytes are not sent yet: if `onRead` rejects, the part is never stored.
    if (at === end) await onRead()
    await sending
    const sent = at - start
    sending = to.write(bytes).then(() => to.onSent(sent))
    sending.catch(() => {})
  }
  if (start === end) await onRead()
  await sending
  // After a failure, the connection may still use the blocks.
  if (!to.isOver()) returnBlocks(agents, ...blocks)
}

const ADVICE: [codes: RegExp, advice: string][] = [
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'The host name is unknown. Check the URL and the DNS settings.'],
  [
    /^ECONNREFUSED$/,
    'The port refuses connections. Check that the service is running (stowage serve), and the port in the URL.',
  ],
  [
    /^(EPROTO|ERR_SSL_.*)$/,
    'TLS failed. If the service uses plain HTTP on this port, use a URL that begins with http://.',
  ],
  [
    /CERT|SIGNATURE|^ERR_TLS_/,
    'The certificate is not trusted. Check the host name in the URL, or set NODE_EXTRA_CA_CERTS if you use your own CA.',
  ],
  [
    /^(ECONNRESET|UND_ERR_SOCKET|HPE_.*)$/,
    'The connection was closed without an HTTP response. Check the port in the URL, and whether it needs https://.',
  ],
  [
    /^(ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/,
    'The host is unreachable. Check the network, the firewall and the host in the URL.',
  ],
]

/** Returns what to check after a failed connection, with the error code of the system. */
export function adviceForFailure(failure: unknown): string {
  const code = codeOf(failure)
  const known = ADVICE.find(([codes]) => codes.test(code))?.[1]
  const reason = code ? ` (${code})` : ''
  return `${known ?? 'Check the URL, and that the service is running.'}${reason}`
}

/** `fetch` reports the reason as a cause of its error. */
function codeOf(failure: unknown): string {
  for (let cause = failure; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code
  }
  return ''
}

/**
 * `import 'node:http'` reads all exports of the module, and some of them load fetch. That takes longer
 * than loading the rest of the client. Node 20.16 and later have `getBuiltinModule`.
 */
const load = process.getBuiltinModule ?? createRequire(import.meta.url)

const http: typeof import('node:http') = load('node:http')
const https: typeof import('node:https') = load('node:https')
