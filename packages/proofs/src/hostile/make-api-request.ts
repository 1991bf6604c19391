import type { Random } from '@stowage/testing/machine/random'
import {
  type DocumentedOperation,
  type GeneratorContext,
  idFor,
  type KnownUpload,
  type Parameter,
  type Pool,
  pickRecent,
  UNKNOWN_ID,
} from './generator-context.ts'
import type { FramedRequest } from './request.ts'
import {
  HEADER_TEXTS,
  type Known,
  mutateBytes,
  mutateJson,
  NAMES,
  sample,
  TEXTS,
  writeJson,
} from './values.ts'

export const MAX_FILE_SIZE = 40

/** A call of a random operation, usually with a defect. */
export function makeApiRequest(context: GeneratorContext): FramedRequest {
  const { random, pool, operations } = context
  const operation = operations[random.between(0, operations.length)]
  if (operation === undefined) throw new Error('the OpenAPI document has no operations')
  const upload = pickRecent(random, pool.uploads)
  const path = fillPath(context, operation, upload)
  const query = makeQuery(
    context,
    operation.parameters.filter((one) => one.in === 'query'),
  )
  const isHostileTarget = random.between(0, 15) === 0
  const target = isHostileTarget ? hostileTarget(random, path, context.hosts.api) : path + query
  const isOtherMethod = random.between(0, 25) === 0
  const method = isOtherMethod ? random.pick(OTHER_METHODS) : operation.method
  const body = operation.body ? makeBody(context, operation, upload) : Buffer.alloc(0)
  return {
    kind: 'framed',
    port: 'api',
    method,
    target,
    ...makeHeaders(keyedFor(context, operation), { operation, body }),
    operation: isHostileTarget || isOtherMethod ? undefined : operation.name,
  }
}

/** The call that deletes all assets uses the key of a separate account. */
function keyedFor(context: GeneratorContext, { path }: DocumentedOperation): GeneratorContext {
  if (!path.endsWith('/deleted-all')) return context
  return { ...context, key: context.emptiedKey, pool: { ...context.pool, keys: [] } }
}

const OTHER_METHODS = [
  'GET',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'M-SEARCH',
  'QUERY',
] as const

/** In most cases, the path and the body refer to the same upload. */
function fillPath(
  { random, pool }: GeneratorContext,
  { method, path, body }: DocumentedOperation,
  upload?: KnownUpload,
) {
  // Most resources are kept, so that later requests find them.
  const isRemoval = method === 'DELETE' || path.endsWith('/cancel')
  const isAboutUpload = body?.properties?.upload_id !== undefined
  return path.replaceAll(/([\w-]+)\/\{\w+\}/g, (_, segment: string) => {
    if (isRemoval && random.between(0, 3) > 0) return `${segment}/${UNKNOWN_ID}`
    const id =
      isAboutUpload && upload && random.between(0, 6) > 0
        ? upload.session.id
        : idFor(random, pool, segment)
    return `${segment}/${id}`
  })
}

function makeBody(
  { random, pool }: GeneratorContext,
  { body = {}, path }: DocumentedOperation,
  upload?: KnownUpload,
) {
  let json = sample(random, body, knownFor(random, pool, path, upload))
  for (let count = random.pick([0, 0, 1, 1, 1, 2, 4]); count > 0; count -= 1) {
    json = mutateJson(random, json)
  }
  const text = path.endsWith('/bulk') ? keepingAssets(writeJson(json)) : writeJson(json)
  return random.between(0, 12) === 0 ? mutateBytes(random, text) : Buffer.from(text)
}

/** The check at the end could not know which assets a bulk call has deleted. */
function keepingAssets(text: string): string {
  if (!/delete|restore/.test(text)) return text
  return text.replaceAll(/[0-9a-f-]{36}/gi, UNKNOWN_ID).replaceAll('"filter"', '"filters"')
}

function knownFor(random: Random, pool: Pool, path: string, upload?: KnownUpload): Known {
  const parts = Array.from(upload?.etags ?? [], ([PartNumber, ETag]) => ({ PartNumber, ETag }))
  return {
    ...(upload && { upload_id: upload.session.upload_id }),
    ...(parts.length > 0 && { parts }),
    ...(pool.products.length > 0 &&
      !path.endsWith('/products') && { products: [idFor(random, pool, 'products')] }),
    ...(path.endsWith('/bulk') && {
      action: random.pick(['attach', 'detach', 'tag', 'untag']),
      ids: [idFor(random, pool, 'assets')],
    }),
    ...(path.endsWith('/signed') && { size: random.between(0, MAX_FILE_SIZE), name: 'file.bin' }),
    // Nothing listens at this URL, and few events are sent, because this test is not about deliveries.
    ...(path.includes('/webhooks') && {
      url: 'http://127.0.0.1:1/',
      types: ['account.storage_low'],
    }),
    ...(path.endsWith('/orders') &&
      pool.assets.length > 0 && { assets: [idFor(random, pool, 'assets')], lines: [] }),
    ...(path.endsWith('/store') && { url: 'https://example.com/file.zip', filename: 'file.zip' }),
  }
}

/** Query values as sent, encoded or not. */
const RAW_VALUES: readonly [string, ...string[]] = [
  '',
  '%',
  '%zz',
  '%00',
  '%ff',
  '%c0%af',
  '%ed%a0%80',
  '%u0041',
  '%250a',
  '%0d%0aX-Injected:%201',
  '+',
  '0',
  '-1',
  '1.5',
  '1e3',
  '0x1',
  'NaN',
  'Infinity',
  '99999999999999999999',
  '9007199254740993',
  'true',
  'TRUE',
  'null',
  'constructor',
  '__proto__',
  'a'.repeat(300),
  'a'.repeat(6_000),
  '%F0%9F%98%80'.repeat(200),
]

/** Each parameter is omitted, valid or hostile. Some queries have an additional defect. */
function makeQuery({ random, pool }: GeneratorContext, parameters: Parameter[]): string {
  const pairs: string[] = []
  for (const parameter of parameters) {
    if (random.between(0, 3) > 0) continue
    const token = parameter.name === 'id' ? pickRecent(random, pool.orderTokens) : undefined
    pairs.push(`${parameter.name}=${token ?? makeValue(random, parameter)}`)
  }
  if (random.between(0, 6) === 0) pairs.push(queryDefect(random, parameters))
  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

function makeValue(random: Random, { schema }: Parameter): string {
  if (random.between(0, 3) === 0) return random.pick(RAW_VALUES)
  const text = writeJson(sample(random, schema, {}))
  const value = text.startsWith('"') ? JSON.parse(text) : text
  return encodeURIComponent(String(value).toWellFormed())
}

function queryDefect(random: Random, parameters: Parameter[]): string {
  const name = parameters[random.between(0, parameters.length)]?.name ?? 'limit'
  const value = random.pick(RAW_VALUES)
  return random.pick([
    `${name}=1&${name}=2`,
    `${name}[]=1`,
    `${name}[a]=1`,
    `${name}[__proto__][a]=1`,
    `${encodeURIComponent(random.pick(NAMES))}=${value}`,
    `${encodeURIComponent(random.pick(TEXTS).toWellFormed())}=1`,
    `${name}`,
    `=${value}`,
    '&&&',
    '?',
    `${name}=1;${name}=2`,
    `${name}%00=1`,
    Array.from({ length: 1_000 }, (_, index) => `a${index}=1`).join('&'),
    Array.from({ length: 1_000 }, () => `${name}=1`).join('&'),
  ])
}

type Header = [string, string]

/** The headers, and the body framed as they declare: with a length, or in chunks. */
function makeHeaders(
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

type Change = (random: Random, path: string, host: string) => string

const CHANGES: readonly [Change, ...Change[]] = [
  (_, path) => path.replace('/', '/../'),
  (_, path) => `${path}/../../../../etc/passwd`,
  (_, path) => `${path}/%2e%2e/%2e%2e`,
  (_, path) => `${path}%2f..%2f..`,
  (_, path) => `${path}%252e%252e%252f`,
  (_, path) => `${path}%00`,
  (_, path) => `${path}/%00/`,
  (_, path) => `${path}%`,
  (_, path) => `${path}%ff%fe`,
  (_, path) => `${path}%c0%ae`,
  (_, path) => `${path}%0d%0aX-Injected:%201`,
  (_, path) => `/${path}`,
  (_, path) => path.replaceAll('/', '//'),
  (_, path) => `/${path.slice(1).replaceAll('/', '\\')}`,
  (_, path) => `${path}/`,
  (_, path) => `${path};a=b`,
  (_, path) => `${path}#fragment`,
  (_, path) => `${path}?#?`,
  (_, path) => path.toUpperCase(),
  (_, path) => path.replace(/[0-9a-f-]{36}/, '../account'),
  (_, path) => path.replace(/[0-9a-f-]{36}/, '__proto__'),
  (_, path) => path.replace(/[0-9a-f-]{36}/, '%2e%2e'),
  (random, path) =>
    path.replace(/[0-9a-f-]{36}/, encodeURIComponent(random.pick(TEXTS).toWellFormed())),
  (_, path) => path.replace(/[^/](?=[^/]*$)/, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
  (_, path, host) => `http://${host}${path}`,
  (_, path) => `http://other.example${path}`,
  (_, path) => `https://user@other.example:99999${path}`,
  () => '*',
  () => '//',
  () => '/',
  (_, path) => `${path}/${'a'.repeat(4_000)}`,
  (_, path) => `${path}/${'a/'.repeat(2_000)}`,
  (_, path) => `${path}/${'%61'.repeat(2_000)}`,
]

/** A request target that resembles the path, or replaces it. */
export function hostileTarget(random: Random, path: string, host: string): string {
  return random.pick(CHANGES)(random, path, host)
}
