import type { Random } from '@stowage/testing/machine/random'
import { CHUNKS, CODINGS, HEADERS, HOSTS, LENGTHS, NO_HTTP, START_LINES } from './malformed.ts'
import type { Message } from './message.ts'

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
