/** One answer, as it came off the wire. */
export interface WireAnswer {
  status: number
  /** Names in lower case. */
  headers: [string, string][]
  body: Buffer
}

export interface AnswerReader {
  /** Adds bytes and returns the answers that they complete. Throws when they are not HTTP/1.1. */
  read(bytes: Buffer): WireAnswer[]
  /** The other side has closed the connection. Returns an answer whose body ends there. */
  end(): WireAnswer[]
}

const EMPTY = Buffer.alloc(0)

/**
 * Reads the answers of one connection. It is strict: a reader that guesses would hide a connection that
 * is out of step. `methodOf` gives the method of the request that the answer with this index belongs to.
 */
export function openAnswerReader(methodOf: (index: number) => string | undefined): AnswerReader {
  let rest: Buffer = EMPTY
  let count = 0
  let isEnded = false

  function readOne(): WireAnswer | undefined {
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
      throw new Error(`an answer without exactly one length: ${JSON.stringify(headers)}`)
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

  function readAll(): WireAnswer[] {
    const answers: WireAnswer[] = []
    for (let one = readOne(); one !== undefined; one = readOne()) answers.push(one)
    return answers
  }

  return {
    read(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      return readAll()
    },
    end() {
      isEnded = true
      const answers = readAll()
      if (rest.length > 0) throw new Error(`cut off: ${JSON.stringify(rest.toString('latin1'))}`)
      return answers
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
