import type { Random } from '@stowage/testing/machine/random'
import {
  CHUNKS,
  CODINGS,
  HEADERS,
  HOSTS,
  LENGTHS,
  NOT_HTTP,
  SECOND_HOSTS,
  START_LINES,
} from './malformed-values.ts'
import type { Message } from './message.ts'

export interface MalformedMessage {
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

export const MALFORMED_MESSAGES: readonly [MalformedMessage, ...MalformedMessage[]] = [
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
