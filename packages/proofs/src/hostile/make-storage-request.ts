import type { Random } from '@stowage/testing/machine/random'
import {
  type GeneratorContext,
  type KnownDownload,
  type KnownUpload,
  pickRecent,
} from './generator-context.ts'
import { hostileTarget } from './make-api-request.ts'
import type { FramedRequest } from './request.ts'
import { HEADER_TEXTS } from './values.ts'

const RANGES: readonly [string, ...string[]] = [
  'bytes=0-0',
  'bytes=0-',
  'bytes=-1',
  'bytes=-0',
  'bytes=5-2',
  'bytes=1-99999999999999999999',
  'bytes=99999999999999999999-',
  'bytes=-99999999999999999999',
  'bytes=10-20',
  'bytes=0-15',
  'bytes=16-16',
  'bytes=15-17',
  'bytes=0-1,3-4',
  'bytes=0-0,-1',
  `bytes=${Array.from({ length: 1_000 }, (_, index) => `${index}-${index}`).join(',')}`,
  'bytes=',
  'bytes=-',
  'bytes=a-b',
  'bytes= 0 - 1',
  'bytes=0x0-0x5',
  'bytes=1e1-',
  'bytes=0-1.5',
  'BYTES=0-1',
  'items=0-1',
  'bytes',
  '',
  '\u00ff',
]

const CONDITIONS: readonly [[string, string], ...[string, string][]] = [
  ['If-Match', '*'],
  ['If-Match', '"other"'],
  ['If-None-Match', '*'],
  ['If-None-Match', 'W/"a", "b'],
  ['If-Range', '"other"'],
  ['If-Range', 'yesterday'],
  ['If-Modified-Since', 'Thu, 99 Foo 9999 99:99:99 GMT'],
  ['If-Unmodified-Since', '\u00ff'],
]

/** A request to the port of the disk storage: a part, a download, or a changed signed URL. */
export function makeStorageRequest(context: GeneratorContext): FramedRequest {
  const { random, pool } = context
  const upload = pickRecent(random, pool.uploads)
  const download = pickRecent(random, pool.downloads)
  if (download !== undefined && random.between(0, 2) === 0) return makeDownload(context, download)
  if (upload !== undefined) return makePart(context, upload)
  return { ...base(context, 'GET', '/objects/a?signature=b'), isForged: true }
}

function makePart(context: GeneratorContext, { session, bytes }: KnownUpload): FramedRequest {
  const { random } = context
  const part = session.urls[random.between(0, session.urls.length)]
  if (part === undefined) return { ...base(context, 'PUT', '/uploads/a/b/1'), isForged: true }
  const target = targetOf(part.url)
  const content = bytes.subarray(part.start, part.end)
  const choice = random.between(0, 10)
  if (choice < 3 && !context.partsInFlight.has(part.url)) {
    context.partsInFlight.add(part.url)
    return withBody(base(context, 'PUT', target), content)
  }
  if (choice < 6) {
    const forged = forgeUrl(random, target)
    return { ...withBody(base(context, 'PUT', forged), bodyFor(forged, content)), isForged: true }
  }
  if (choice === 6) {
    const other = (content.length + random.between(1, 60)) % 60
    return withBody(base(context, 'PUT', target), Buffer.alloc(other))
  }
  if (choice === 7) return { ...base(context, otherMethod(random, 'PUT'), target), isForged: true }
  if (choice === 8)
    return {
      ...base(context, 'PUT', hostileTarget(random, target, context.hosts.storage)),
      isForged: true,
    }
  return preflight(context, target)
}

function makeDownload(context: GeneratorContext, { url, file }: KnownDownload): FramedRequest {
  const { random } = context
  const target = targetOf(url)
  const method = random.pick(['GET', 'GET', 'GET', 'HEAD'])
  const choice = random.between(0, 10)
  if (choice < 3) {
    const forged = forgeUrl(random, target)
    return { ...base(context, method, forged), isForged: true }
  }
  if (choice === 3)
    return { ...base(context, otherMethod(random, 'GET', 'HEAD'), target), isForged: true }
  const request = { ...base(context, method, target), file }
  if (choice > 4) request.headers.push(['Range', random.pick(RANGES)])
  if (random.between(0, 4) === 0) request.headers.push(random.pick(CONDITIONS))
  if (random.between(0, 8) === 0) request.headers.push(['Range', random.pick(RANGES)])
  return request
}

function preflight(context: GeneratorContext, target: string): FramedRequest {
  const { random } = context
  const request = base(
    context,
    'OPTIONS',
    random.between(0, 2) === 0 ? target : forgeUrl(random, target),
  )
  request.headers.push(['Access-Control-Request-Headers', random.pick(HEADER_TEXTS)])
  return request
}

function base({ random, hosts }: GeneratorContext, method: string, target: string): FramedRequest {
  const headers: [string, string][] = [['Host', hosts.storage]]
  if (random.between(0, 12) === 0)
    headers.push(['Expect', random.pick(['100-continue', 'x', '100-Continue'])])
  if (random.between(0, 12) === 0) headers.push(['Content-Type', random.pick(HEADER_TEXTS)])
  return { kind: 'framed', port: 'storage', method, target, headers, body: Buffer.alloc(0) }
}

function withBody(request: FramedRequest, body: Buffer): FramedRequest {
  request.headers.push(['Content-Length', String(body.length)])
  return { ...request, body }
}

/** A body of the length that the forged URL declares, so that the length is no reason to refuse the request. */
function bodyFor(target: string, content: Buffer): Buffer {
  const length = Number(/length=(\d{1,3})&/.exec(target)?.[1] ?? content.length)
  return length === content.length ? content : Buffer.alloc(length)
}

function otherMethod(random: Random, ...allowed: string[]): string {
  const method = random.pick(['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'TRACE'])
  return allowed.includes(method) ? 'DELETE' : method
}

function targetOf(url: string): string {
  return url.slice(new URL(url).origin.length)
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~%&=/?'

type Forgery = (random: Random, target: string) => string

const FORGERIES: readonly [Forgery, ...Forgery[]] = [
  // Repeated, because changing one character is the most useful forgery.
  changeOne,
  changeOne,
  changeOne,
  changeOne,
  (random, target) => target.slice(0, at(random, target)),
  (random, target) => splice(target, at(random, target), 1, ''),
  (random, target) => splice(target, at(random, target), 0, letter(random)),
  (random, target) => encodeOne(target, at(random, target)),
  (random, target) =>
    target.replace(/\d+/g, (number) => String(Number(number) + random.between(1, 9))),
  (_, target) => target.replace(/length=\d+/, 'length=0'),
  (_, target) => target.replace(/expires=\d+/, 'expires=99999999999'),
  (_, target) => target.replace(/signature=[^&]*/, 'signature='),
  (_, target) => target.replace(/&?signature=[^&]*/, ''),
  (_, target) =>
    target.replace(/signature=(.)/, (_all, first) => `signature=${first === 'A' ? 'B' : 'A'}`),
  (_, target) => `${target}&length=1`,
  (_, target) => `${target}&`,
  (_, target) => `${target}=`,
  (_, target) => `${target}&signature=${target.split('signature=')[1]}x`,
  (_, target) => target.replace('?', '?a=b&'),
  (_, target) => target.replace('?', '?/../x?'),
  (_, target) => target.replace('/', '/./'),
  (_, target) => `http://other.example${target}`,
  swapQuery,
]

/** A changed version of a signed target. */
function forgeUrl(random: Random, target: string): string {
  const forged = random.pick(FORGERIES)(random, target)
  return forged === target || forged === '' ? changeOne(random, target) : forged
}

function changeOne(random: Random, target: string): string {
  const position = random.between(1, target.length)
  const old = target[position]
  const other = letter(random)
  return splice(target, position, 1, other === old ? (other === 'a' ? 'b' : 'a') : other)
}

function at(random: Random, target: string): number {
  return random.between(1, target.length)
}

function letter(random: Random): string {
  return LETTERS[random.between(0, LETTERS.length)] ?? 'a'
}

function splice(text: string, position: number, count: number, insert: string): string {
  return text.slice(0, position) + insert + text.slice(position + count)
}

function encodeOne(target: string, position: number): string {
  const code = target.charCodeAt(position).toString(16).padStart(2, '0')
  return splice(target, position, 1, `%${code}`)
}

function swapQuery(_: Random, target: string): string {
  const [path, query = ''] = target.split('?')
  return `${path}?${query.split('&').toReversed().join('&')}`
}
