import type { Random } from '@stowage/testing/machine/random'
import type { DocumentedOperation } from './document.ts'
import type { GeneratorContext } from './generator-context.ts'
import { HEADER_TEXTS } from './hostile-values.ts'
import { pickRecent } from './pool.ts'

type Header = [string, string]

/** The headers, and the body framed as they declare: with a length, or in chunks. */
export function makeHeaders(
  context: GeneratorContext,
  { operation, body }: { operation: DocumentedOperation; body: Buffer },
): { headers: Header[]; body: Buffer } {
  const { random, hosts } = context
  const headers: Header[] = [['Host', hosts.api]]
  if (!operation.isPublic || random.between(0, 10) === 0) headers.push(...authorization(context))
  if (operation.body !== undefined) headers.push(...contentType(random))
  if (operation.parameters.some((one) => one.in === 'header')) headers.push(...idempotency(random))
  if (random.between(0, 5) === 0) headers.push(random.pick(UNUSUAL_HEADERS)(random))
  const framed = frame(random, body)
  return { headers: shuffled(random, [...headers, ...framed.headers]), body: framed.body }
}

function authorization({ random, key, pool }: GeneratorContext): Header[] {
  if (random.between(0, 12) > 0) return [['Authorization', `Bearer ${key}`]]
  const other = pickRecent(random, pool.keys)?.secret ?? 'stow_unknown'
  return random.pick<Header[]>([
    [],
    [['Authorization', `Bearer ${other}`]],
    [['Authorization', `bearer ${key}`]],
    [['Authorization', 'Bearer']],
    [['Authorization', 'Bearer ']],
    [['Authorization', `Basic ${Buffer.from(`a:${key}`).toString('base64')}`]],
    [['Authorization', `Bearer ${key}\u00e9`]],
    [['Authorization', `Bearer ${'a'.repeat(8_000)}`]],
    [
      ['Authorization', `Bearer ${key}`],
      ['Authorization', `Bearer ${other}`],
    ],
    [['X-Api-Key', key]],
  ])
}

function contentType(random: Random): Header[] {
  if (random.between(0, 15) > 0) return [['Content-Type', 'application/json']]
  return random.pick<Header[]>([
    [],
    [['Content-Type', 'text/plain']],
    [['Content-Type', 'application/json; charset=utf-16']],
    [['Content-Type', 'APPLICATION/JSON']],
    [['Content-Type', 'application/json;']],
    [['Content-Type', 'application/jsonx']],
    [['Content-Type', 'application/x-www-form-urlencoded']],
    [['Content-Type', 'multipart/form-data; boundary=a']],
    [['Content-Type', '']],
    [['Content-Type', '\u00ff/\u00fe']],
    [['Content-Type', `application/json; ${'a=b;'.repeat(1_000)}`]],
    [
      ['Content-Type', 'application/json'],
      ['Content-Type', 'text/plain'],
    ],
  ])
}

function idempotency(random: Random): Header[] {
  if (random.between(0, 4) > 0) return []
  const key = random.pick([
    'a',
    'b',
    `k${random.between(0, 100)}`,
    '',
    ' ',
    'a'.repeat(300),
    '\u00e9',
    '__proto__',
  ])
  const header: Header = ['Idempotency-Key', key]
  return random.between(0, 8) === 0 ? [header, ['idempotency-key', 'other']] : [header]
}

const UNUSUAL_HEADERS: readonly [(random: Random) => Header, ...((random: Random) => Header)[]] = [
  () => ['Expect', '100-continue'],
  () => ['Expect', '200-ok'],
  () => ['X-Request-Id', 'a\u00ffb'],
  () => ['X-Forwarded-For', '127.0.0.1'],
  () => ['X-Forwarded-Host', 'other.example'],
  () => ['X-HTTP-Method-Override', 'DELETE'],
  () => ['Origin', 'null'],
  () => ['Origin', 'https://other.example'],
  () => ['Access-Control-Request-Method', 'DELETE'],
  () => ['Range', 'bytes=0-0'],
  () => ['If-None-Match', '*'],
  () => ['If-Modified-Since', 'yesterday'],
  () => ['Accept', '\u00ff'],
  () => ['Accept-Encoding', 'gzip;q=NaN, *;q=0'],
  () => ['Accept-Encoding', 'br, gzip, deflate'],
  () => ['Accept-Language', 'a'.repeat(5_000)],
  () => ['Content-Encoding', 'gzip'],
  () => ['Cookie', '__proto__=1; '.repeat(300)],
  () => ['Upgrade', 'websocket'],
  () => ['Upgrade', 'h2c'],
  () => ['TE', 'trailers'],
  () => ['Trailer', 'Content-Length'],
  () => ['Keep-Alive', 'timeout=-1'],
  () => ['Proxy-Connection', 'keep-alive'],
  () => ['__proto__', 'x'],
  () => ['constructor', 'x'],
  () => ['Last-Event-ID', '-1'],
  (random) => ['X-Text', random.pick(HEADER_TEXTS)],
]

/** A length, or chunks: both are valid. */
function frame(random: Random, body: Buffer): { headers: Header[]; body: Buffer } {
  if (body.length === 0 && random.between(0, 2) === 0) return { headers: [], body }
  if (random.between(0, 10) > 0) return { headers: [['Content-Length', String(body.length)]], body }
  const chunks: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const chunk = body.subarray(at, at + random.pick([1, 7, 100, 10_000, 100_000]))
    chunks.push(Buffer.from(`${chunk.length.toString(16)};ext="a"\r\n`), chunk, Buffer.from('\r\n'))
    // A limited number of chunks is enough.
    at += chunk.length
    if (chunks.length > 60) {
      const rest = body.subarray(at)
      if (rest.length > 0)
        chunks.push(Buffer.from(`${rest.length.toString(16)}\r\n`), rest, Buffer.from('\r\n'))
      break
    }
  }
  const end = random.pick(['0\r\n\r\n', '0\r\nX-Trailer: a\r\n\r\n'])
  return {
    headers: [['Transfer-Encoding', 'chunked']],
    body: Buffer.concat([...chunks, Buffer.from(end)]),
  }
}

function shuffled(random: Random, headers: Header[]): Header[] {
  return headers
    .map((header) => ({ header, order: random.between(0, 1_000) }))
    .sort((a, b) => a.order - b.order)
    .map(({ header }) => header)
}
