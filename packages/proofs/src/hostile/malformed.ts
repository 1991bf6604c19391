import type { Random } from '@stowage/testing/machine/random'
import type { GeneratorContext } from './generator-context.ts'
import type { MalformedRequest, Port } from './request.ts'

interface Message {
  method: string
  target: string
  headers: string[]
  body: string
}

/* Parts of messages that violate the rules of HTTP, or are unusual. Each character stands for one byte. */

const LENGTHS = [
  '+7',
  '-1',
  '7,7',
  '7, 8',
  '0x7',
  '7 7',
  '',
  ' ',
  '99999999999999999999',
  '1e1',
  '7.0',
  'a',
  // A full-width digit, in UTF-8.
  Buffer.from('７').toString('latin1'),
] as const

const CODINGS = [
  'xchunked',
  'chunked, identity',
  'identity, chunked',
  'identity',
  'chunked, chunked',
  'gzip, chunked',
  'chunked;q=1',
  '"chunked"',
  'chunked\u000b',
  ', chunked',
  'chunked,',
  '',
] as const

const CHUNKS = [
  'g\r\nabc\r\n0\r\n\r\n',
  '-5\r\nabcde\r\n0\r\n\r\n',
  '0x5\r\nabcde\r\n0\r\n\r\n',
  ' 5\r\nabcde\r\n0\r\n\r\n',
  '5 \r\nabcde\r\n0\r\n\r\n',
  '5\nabcde\n0\n\n',
  '5\r\nabcdefgh\r\n0\r\n\r\n',
  '5\r\nabcde0\r\n\r\n',
  'fffffffffffffffff\r\nabc\r\n0\r\n\r\n',
  '\r\n\r\n',
  `5;${'a'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`,
  '5;a=b\nabcde\r\n0\r\n\r\n',
  '0\r\nbad trailer\r\n\r\n',
  '0\r\nContent-Length: 5\r\n\r\n',
  `0\r\n${'X-A: b\r\n'.repeat(3_000)}\r\n`,
] as const

const HEADERS = [
  'X-Folded: a\r\n b',
  'X-Folded: a\r\n\tb',
  ' X-First: a',
  'X-Space : a',
  'X-Bare: a\rb',
  'X-Nul: a\u0000b',
  'X-Control: a\u0001b',
  'no colon',
  ': no name',
  'X-Näme: a',
  'X(Bad): a',
  `X-Long: ${'a'.repeat(20_000)}`,
  `${'a'.repeat(20_000)}: b`,
  Array.from({ length: 3_000 }, (_, index) => `a${index}:b`).join('\r\n'),
  Array.from({ length: 2_050 }, () => 'a:b').join('\r\n'),
  'Connection: close, upgrade\r\nUpgrade: websocket',
  'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA',
  'Connection: Content-Length, Transfer-Encoding, Host',
  'Expect: 100-continue\r\nExpect: 200-ok',
] as const

const START_LINES = [
  'get /healthz HTTP/1.1',
  'GET  /healthz  HTTP/1.1',
  'GET\t/healthz\tHTTP/1.1',
  'GET /health z HTTP/1.1',
  'GET /health\u0000z HTTP/1.1',
  'GET /h\u00e4lthz HTTP/1.1',
  'GET  HTTP/1.1',
  'GET /healthz',
  'GET /healthz HTTP/0.9',
  'GET /healthz HTTP/1.0',
  'GET /healthz HTTP/1.2',
  'GET /healthz HTTP/2.0',
  'GET /healthz HTTP/11',
  'GET /healthz http/1.1',
  'GET healthz HTTP/1.1',
  'GET %2fhealthz HTTP/1.1',
  'GET \\healthz HTTP/1.1',
  'FOO /healthz HTTP/1.1',
  `${'A'.repeat(20_000)} / HTTP/1.1`,
  `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  'CONNECT other.example:443 HTTP/1.1',
  'PRI * HTTP/2.0',
  'SOURCE /healthz HTTP/1.1',
  '\r\n\r\nGET /healthz HTTP/1.1',
  '\u0000GET /healthz HTTP/1.1',
] as const

const HOSTS = [
  '',
  'Host:',
  'Host: a\r\nHost: b',
  'Host: a b',
  'Host: a/b',
  'Host: \u00ff',
  'Host: http://a',
  `Host: ${'a'.repeat(9_000)}`,
] as const

const SECOND_HOSTS = ['Host: a', 'host: b', 'HOST:', 'Host: 127.0.0.1'] as const

const NOT_HTTP = [
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'SSH-2.0-OpenSSH_9.2\r\n',
  '{"json": true}\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  '\u0000'.repeat(100),
  '\u00ff'.repeat(5_000),
  'a'.repeat(50_000),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
] as const

interface MalformedMessage {
  name: string
  make(random: Random, message: Message): string
  /** The message has no end. */
  isIncomplete?: boolean
  /** The bytes may be parsed as two messages, of which the second is refused. */
  mayBeSeveral?: boolean
  /** The service must respond with 400 and close the connection. */
  isRefused?: boolean
}

/** This request is sent inside the body of another one, and must not get a response. */
const SMUGGLED = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n'

function write(
  { method, target, headers, body }: Message,
  more: string[] = [`Content-Length: ${body.length}`],
  content = body,
): string {
  return `${method} ${target} HTTP/1.1\r\n${[...headers, ...more].join('\r\n')}\r\n\r\n${content}`
}

function chunked(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`
}

const MALFORMED_MESSAGES: readonly [MalformedMessage, ...MalformedMessage[]] = [
  {
    name: 'an invalid Content-Length',
    make: (random, message) => write(message, [`Content-Length: ${random.pick(LENGTHS)}`]),
  },
  {
    name: 'two Content-Length headers',
    make: (random, message) => {
      const lengths = [
        `Content-Length: ${message.body.length}`,
        `Content-Length: ${random.pick(['0', '1', '7'])}`,
      ]
      return write(message, random.pick([lengths, lengths.toReversed()]))
    },
  },
  {
    name: 'Content-Length and chunks, with a request inside',
    make: (random, message) => {
      const length = `Content-Length: ${random.pick(['0', '4', '10'])}`
      const coding = `${random.pick(['Transfer-Encoding', 'transfer-encoding'])}: chunked`
      const body = random.pick([chunked(SMUGGLED), `0\r\n\r\n${SMUGGLED}`])
      return write(
        message,
        random.pick([
          [length, coding],
          [coding, length],
        ]),
        body,
      )
    },
  },
  {
    name: 'an invalid transfer coding',
    make: (random, message) =>
      write(message, [`Transfer-Encoding: ${random.pick(CODINGS)}`], chunked('{"a":1}')),
    isRefused: true,
  },
  {
    name: 'two transfer codings in two headers',
    make: (random, message) =>
      write(
        message,
        [`Transfer-Encoding: ${random.pick(CODINGS)}`, 'Transfer-Encoding: chunked'],
        chunked(random.pick(['{"a":1}', SMUGGLED])),
      ),
    isRefused: true,
  },
  {
    name: 'chunks in HTTP/1.0',
    make: (_, message) =>
      write(message, ['Transfer-Encoding: chunked'], chunked('{"a":1}')).replace('/1.1', '/1.0'),
    isRefused: true,
  },
  {
    name: 'two Host headers',
    make: (random, message) => {
      const hosts = [...message.headers.slice(0, 1), random.pick(SECOND_HOSTS)]
      const headers = [...random.pick([hosts, hosts.toReversed()]), ...message.headers.slice(1)]
      return write({ ...message, headers })
    },
    isRefused: true,
  },
  {
    name: 'a malformed chunk',
    make: (random, message) => write(message, ['Transfer-Encoding: chunked'], random.pick(CHUNKS)),
  },
  {
    name: 'a malformed header',
    make: (random, message) => {
      const odd = random.pick(HEADERS)
      const length = `Content-Length: ${message.body.length}`
      return write(
        message,
        random.pick([
          [odd, length],
          [length, odd],
        ]),
      )
    },
  },
  {
    name: 'a malformed request line',
    make: (random) => `${random.pick(START_LINES)}\r\nHost: a\r\n\r\n`,
  },
  {
    name: 'a malformed Host',
    make: (random, message) => {
      const host = random.pick(HOSTS)
      const headers = [...(host === '' ? [] : [host]), ...message.headers.slice(1)]
      return write({ ...message, headers })
    },
  },
  {
    name: 'line feeds only',
    make: (_, message) => write(message).replaceAll('\r\n', '\n'),
  },
  {
    name: 'carriage returns only',
    make: (_, message) => write(message).replaceAll('\r\n', '\r'),
  },
  { name: 'not HTTP', make: (random) => random.pick(NOT_HTTP) },
  {
    name: 'random bytes',
    make: (random) =>
      String.fromCharCode(...Array.from({ length: 200 }, () => random.between(0, 256))),
  },
  {
    name: 'a changed byte',
    make: (random, message) => {
      const text = write(message)
      const at = random.between(0, text.length)
      return text.slice(0, at) + String.fromCharCode(random.between(0, 256)) + text.slice(at + 1)
    },
    mayBeSeveral: true,
  },
  {
    name: 'an incomplete body',
    make: (_, message) => write(message, [`Content-Length: ${message.body.length + 5}`]),
    isIncomplete: true,
  },
  {
    name: 'incomplete chunks',
    make: (_, message) => write(message, ['Transfer-Encoding: chunked'], 'ff\r\n{"a'),
    isIncomplete: true,
  },
  {
    name: 'incomplete headers',
    make: (random, message) => {
      const text = write(message)
      return text.slice(0, random.between(1, text.indexOf('\r\n\r\n')))
    },
    isIncomplete: true,
  },
  {
    name: 'a huge length',
    make: (_, message) => write(message, ['Content-Length: 9007199254740991']),
    isIncomplete: true,
  },
]

/** A message that violates the rules of HTTP, for either port. */
export function makeMalformedRequest(context: GeneratorContext, port: Port): MalformedRequest {
  const { random } = context
  const malformed = random.pick(MALFORMED_MESSAGES)
  const { name, make, isIncomplete = false, mayBeSeveral = false, isRefused = false } = malformed
  const message = aMessage(context, port)
  const text = make(random, message)
  return {
    kind: 'malformed',
    port,
    method: /^HEAD /.test(text) ? 'HEAD' : message.method,
    defect: name,
    bytes: Buffer.from(text, 'latin1'),
    isIncomplete,
    mayBeSeveral,
    isRefused,
    operation: undefined,
  }
}

/** A message that changes nothing even if the service accepts it, because its response may get lost. */
function aMessage({ random, hosts, key }: GeneratorContext, port: Port): Message {
  const method = random.pick(['POST', 'PUT', 'GET'])
  const isStorage = port === 'storage'
  const target = isStorage
    ? '/uploads/a/b/1?length=5&expires=1&signature=a'
    : '/api/v1/assets/signed'
  const headers = [`Host: ${hosts[port]}`]
  if (!isStorage) headers.push(`Authorization: Bearer ${key}`, 'Content-Type: application/json')
  return { method, target, headers, body: random.pick(['', '{"a":1}', '{"name":"a","size":-1}']) }
}
