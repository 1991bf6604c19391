import type { Random } from '../support/random.ts'
import type { Message } from './make-broken-request.ts'

export interface Trick {
  name: string
  make(random: Random, message: Message): string
  /** The message never ends. */
  isIncomplete?: boolean
  /** It may well be several messages: the rest of it may be refused once more. */
  isLoose?: boolean
}

/** A request that must not be answered, as it lies within the body of another. */
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
  '７',
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

const NO_HTTP = [
  '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003',
  'SSH-2.0-OpenSSH_9.2\r\n',
  '{"json": true}\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n',
  '\u0000'.repeat(100),
  '\u00ff'.repeat(5_000),
  'a'.repeat(50_000),
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\u0000\u0000\u0000\u0004\u0000\u0000\u0000\u0000\u0000',
] as const

export const TRICKS: readonly [Trick, ...Trick[]] = [
  {
    name: 'a Content-Length that is no length',
    make: (random, message) => write(message, [`Content-Length: ${random.pick(LENGTHS)}`]),
  },
  {
    name: 'two lengths',
    make: (random, message) => {
      const lengths = [
        `Content-Length: ${message.body.length}`,
        `Content-Length: ${random.pick(['0', '1', '7'])}`,
      ]
      return write(message, random.pick([lengths, lengths.toReversed()]))
    },
  },
  {
    name: 'a length and chunks, with a request inside',
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
    name: 'an odd transfer coding',
    make: (random, message) =>
      write(message, [`Transfer-Encoding: ${random.pick(CODINGS)}`], chunked('{"a":1}')),
  },
  {
    name: 'a broken chunk',
    make: (random, message) => write(message, ['Transfer-Encoding: chunked'], random.pick(CHUNKS)),
  },
  {
    name: 'an odd header',
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
    name: 'an odd first line',
    make: (random) => `${random.pick(START_LINES)}\r\nHost: a\r\n\r\n`,
  },
  {
    name: 'an odd Host',
    make: (random, message) => {
      const host = random.pick(HOSTS)
      const headers = [...(host === '' ? [] : [host]), ...message.headers.slice(1)]
      return write({ ...message, headers })
    },
  },
  {
    name: 'line feeds alone',
    make: (_, message) => write(message).replaceAll('\r\n', '\n'),
  },
  {
    name: 'carriage returns alone',
    make: (_, message) => write(message).replaceAll('\r\n', '\r'),
  },
  { name: 'no HTTP', make: (random) => random.pick(NO_HTTP) },
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
    isLoose: true,
  },
  {
    name: 'a body that is cut off',
    make: (_, message) => write(message, [`Content-Length: ${message.body.length + 5}`]),
    isIncomplete: true,
  },
  {
    name: 'chunks that are cut off',
    make: (_, message) => write(message, ['Transfer-Encoding: chunked'], 'ff\r\n{"a'),
    isIncomplete: true,
  },
  {
    name: 'headers that are cut off',
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
