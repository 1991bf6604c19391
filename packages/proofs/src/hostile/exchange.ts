import { connect, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'
import type { GeneratorContext } from './generator-context.ts'
import { type FramedRequest, type MalformedRequest, type Port, render } from './request.ts'

/** The responses on one connection. */
export interface Exchange {
  /** In the order of the requests. Fewer if the service closed the connection. */
  responses: WireResponse[]
  /** The number of `100 Continue` responses. */
  interim: number
  probe: 'responded' | 'closed'
  /** Set if the received bytes were not complete HTTP responses, or if the connection hung. */
  failure?: string
}

/** The maximum time without a byte. It is long, because a loaded machine is slow. */
const HANG_MS = Number(process.env.HOSTILE_HANG_MS ?? 20_000)
/** The service may wait for the rest of a malformed message. After this time, the client half-closes the connection. */
const HALF_CLOSE_MS = 1_500

/** Sends all requests at once on one connection, followed by the probe. */
export function exchangePipelined(
  port: number,
  requests: FramedRequest[],
  probe: Probe,
  hangMs = HANG_MS,
) {
  const bytes = Buffer.concat([...requests.map(render), probe.bytes])
  const methods = [...requests.map(({ method }) => method), 'GET']
  return run({ port, bytes, methods, probe, hangMs })
}

/** Sends the message on a separate connection, followed by the probe unless the message is incomplete. */
export function exchangeMalformed(port: number, request: MalformedRequest, probe: Probe) {
  const { isIncomplete, method, bytes } = request
  const all = isIncomplete ? bytes : Buffer.concat([bytes, probe.bytes])
  const endAfterMs = isIncomplete ? 0 : HALF_CLOSE_MS
  return run({
    port,
    bytes: all,
    methods: [method, 'GET'],
    probe,
    endAfterMs,
    hangMs: HANG_MS,
  })
}

function run(options: {
  port: number
  bytes: Buffer
  methods: string[]
  probe: Probe
  hangMs: number
  /** When the client half-closes the connection; undefined: never. */
  endAfterMs?: number
}): Promise<Exchange> {
  const { port, bytes, methods, probe, hangMs, endAfterMs } = options
  return new Promise((resolve) => {
    const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true })
    const reader = openResponseReader((index) => methods[index])
    const responses: WireResponse[] = []
    let interim = 0
    let isOver = false

    function finish(outcome: Exchange['probe'], failure?: string): void {
      if (isOver) return
      isOver = true
      if (halfClose) clearTimeout(halfClose)
      socket.destroy()
      resolve({ responses, interim, probe: outcome, ...(failure !== undefined && { failure }) })
    }
    function take(read: () => WireResponse[]): void {
      try {
        for (const response of read()) {
          if (response.status < 200) interim += 1
          else if (probe.isResponse(response)) finish('responded')
          else responses.push(response)
        }
      } catch (error) {
        finish('closed', String(error))
      }
    }
    const halfClose = endAfterMs && setTimeout(() => socket.end(), endAfterMs)
    socket.setTimeout(hangMs, () => finish('closed', `no byte for ${hangMs} ms`))
    socket.on('data', (data) => take(() => reader.read(data)))
    socket.on('end', () => take(() => reader.end()))
    socket.on('close', () => finish('closed'))
    // A reset counts as a close: the rules check the responses received before it.
    socket.on('error', () => finish('closed'))
    if (endAfterMs === 0) socket.end(bytes)
    else socket.write(bytes)
  })
}

/** A valid request whose response can be distinguished from all others. */
interface Probe {
  bytes: Buffer
  isResponse(response: WireResponse): boolean
}

let count = 0

/** The response repeats a word that is in no other request. */
export function aProbe({ hosts, key }: GeneratorContext, port: Port): Probe {
  count += 1
  const word = `probe-${process.pid}-${count}`
  const host = `Host: ${hosts[port]}\r\n`
  if (port === 'storage') {
    const head = `OPTIONS /objects/a HTTP/1.1\r\n${host}Access-Control-Request-Headers: ${word}\r\n\r\n`
    return {
      bytes: Buffer.from(head),
      isResponse: ({ status, headers }) =>
        status === 204 && valuesOf(headers, 'access-control-allow-headers')[0] === word,
    }
  }
  const head = `GET /api/v1/products?limit=1&sku=${word} HTTP/1.1\r\n${host}Authorization: Bearer ${key}\r\n\r\n`
  return {
    bytes: Buffer.from(head),
    isResponse: ({ status, body }) => status === 200 && body.includes(`sku=${word}`),
  }
}

/** One response, as received. */
export interface WireResponse {
  status: number
  /** Names in lower case. */
  headers: [string, string][]
  body: Buffer
}

interface ResponseReader {
  /** Adds bytes and returns the responses that are now complete. Throws if they are not HTTP/1.1. */
  read(bytes: Buffer): WireResponse[]
  /** Call this when the server has closed the connection. Returns the response whose body ends there. */
  end(): WireResponse[]
}

const EMPTY = Buffer.alloc(0)

/**
 * Reads the responses of one connection. It is strict: a lenient reader would hide that responses and
 * requests no longer match. `methodOf` returns the method of the request with this index.
 */
function openResponseReader(methodOf: (index: number) => string | undefined): ResponseReader {
  let rest: Buffer = EMPTY
  let count = 0
  let isEnded = false

  function readOne(): WireResponse | undefined {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const [statusLine = '', ...lines] = rest.toString('latin1', 0, end).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) [ -~]*$/.exec(statusLine)?.[1])
    if (Number.isNaN(status)) throw new Error(`not a status line: ${JSON.stringify(statusLine)}`)
    const headers = lines.map(readHeader)
    const isInterim = status < 200
    const isBare = isInterim || status === 204 || status === 304 || methodOf(count) === 'HEAD'
    const body = isBare ? { content: EMPTY, end: end + 4 } : readBody(headers, end + 4)
    if (body === undefined) return undefined
    rest = rest.subarray(body.end)
    if (!isInterim) count += 1
    return { status, headers, body: body.content }
  }

  function readBody(headers: [string, string][], from: number) {
    if (valuesOf(headers, 'transfer-encoding').length > 0) return readChunks(from)
    const [length, ...others] = valuesOf(headers, 'content-length')
    if (length === undefined && valuesOf(headers, 'connection')[0] === 'close') {
      return isEnded ? { content: rest.subarray(from), end: rest.length } : undefined
    }
    if (length === undefined || others.length > 0 || !/^\d+$/.test(length)) {
      throw new Error(`a response without exactly one length: ${JSON.stringify(headers)}`)
    }
    const end = from + Number(length)
    return end > rest.length ? undefined : { content: rest.subarray(from, end), end }
  }

  function readChunks(from: number) {
    const chunks: Buffer[] = []
    for (let at = from; ; ) {
      const lineEnd = rest.indexOf('\r\n', at)
      if (lineEnd < 0) return undefined
      const text = rest.toString('latin1', at, lineEnd)
      if (!/^[0-9a-f]+$/i.test(text)) throw new Error(`not a chunk size: ${JSON.stringify(text)}`)
      const size = Number.parseInt(text, 16)
      const end = lineEnd + 2 + size
      if (end + 2 > rest.length) return undefined
      chunks.push(rest.subarray(lineEnd + 2, end))
      at = end + 2
      if (size === 0) return { content: Buffer.concat(chunks), end: at }
    }
  }

  function readAll(): WireResponse[] {
    const responses: WireResponse[] = []
    for (let one = readOne(); one !== undefined; one = readOne()) responses.push(one)
    return responses
  }

  return {
    read(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      return readAll()
    },
    end() {
      isEnded = true
      const responses = readAll()
      if (rest.length > 0)
        throw new Error(`incomplete response: ${JSON.stringify(rest.toString('latin1'))}`)
      return responses
    },
  }
}

/** The JSON of a response, which may be compressed. Undefined if it is none. */
// biome-ignore lint/suspicious/noExplicitAny: responses have any shape
export function jsonOf({ headers, body }: WireResponse): any {
  try {
    const isGzip = valuesOf(headers, 'content-encoding').includes('gzip')
    return JSON.parse((isGzip ? gunzipSync(body) : body).toString())
  } catch {
    return undefined
  }
}

export function valuesOf(headers: [string, string][], name: string): string[] {
  return headers.filter(([one]) => one === name).map(([, value]) => value)
}

function readHeader(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9a-zA-Z-]+): ?(.*)$/s.exec(line)
  if (match === null) throw new Error(`not a header: ${JSON.stringify(line)}`)
  return [(match[1] ?? '').toLowerCase(), match[2] ?? '']
}
