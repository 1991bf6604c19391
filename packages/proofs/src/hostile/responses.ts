/** One response, as received. */
export interface WireResponse {
  status: number
  /** Names in lower case. */
  headers: [string, string][]
  body: Buffer
}

export interface ResponseReader {
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
export function openResponseReader(
  methodOf: (index: number) => string | undefined,
): ResponseReader {
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

export function valuesOf(headers: [string, string][], name: string): string[] {
  return headers.filter(([one]) => one === name).map(([, value]) => value)
}

function readHeader(line: string): [string, string] {
  const match = /^([!#$%&'*+.^_`|~0-9a-zA-Z-]+): ?(.*)$/s.exec(line)
  if (match === null) throw new Error(`not a header: ${JSON.stringify(line)}`)
  return [(match[1] ?? '').toLowerCase(), match[2] ?? '']
}
