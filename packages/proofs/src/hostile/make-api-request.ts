import type { Random } from '@stowage/testing/machine/random'
import type { DocumentedOperation } from './document.ts'
import type { GeneratorContext } from './generator-context.ts'
import { writeJson } from './json.ts'
import { makeHeaders } from './make-headers.ts'
import { makeQuery } from './make-query.ts'
import { hostileTarget } from './make-target.ts'
import { mutateBytes } from './mutate-bytes.ts'
import { mutateJson } from './mutate-json.ts'
import { idFor, type KnownUpload, type Pool, pickRecent, UNKNOWN_ID } from './pool.ts'
import type { FramedRequest } from './request.ts'
import { type Known, sample } from './sample.ts'

export const MAX_FILE_SIZE = 40

/** A call of a random operation, usually with a defect. */
export function makeApiRequest(context: GeneratorContext): FramedRequest {
  const { random, pool, operations } = context
  const operation = operations[random.between(0, operations.length)]
  if (operation === undefined) throw new Error('the OpenAPI document has no operations')
  const upload = pickRecent(random, pool.uploads)
  const path = fillPath(context, operation, upload)
  const query = makeQuery(
    random,
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
  return path.replaceAll(/(\w+)\/\{\w+\}/g, (_, segment: string) => {
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

/** The response to a bulk call does not name its assets, so the check at the end could not know that they are deleted. */
function keepingAssets(text: string): string {
  return /delete|restore/.test(text) ? text.replaceAll(/[0-9a-f-]{36}/gi, UNKNOWN_ID) : text
}

function knownFor(random: Random, pool: Pool, path: string, upload?: KnownUpload): Known {
  const parts = Array.from(upload?.etags ?? [], ([PartNumber, ETag]) => ({ PartNumber, ETag }))
  return {
    ...(upload && { upload_id: upload.session.upload_id }),
    ...(parts.length > 0 && { parts }),
    ...(pool.products.length > 0 &&
      !path.endsWith('/products') && { products: [idFor(random, pool, 'products')] }),
    ...(path.endsWith('/bulk') && {
      action: random.pick(['attach', 'detach']),
      ids: [idFor(random, pool, 'assets')],
    }),
    ...(path.endsWith('/signed') && { size: random.between(0, MAX_FILE_SIZE), name: 'file.bin' }),
    // Nothing listens at this URL, and few events are sent, because this test is not about deliveries.
    ...(path.includes('/webhooks') && {
      url: 'http://127.0.0.1:1/',
      types: ['account.storage_low'],
    }),
    ...(path.endsWith('/store') && { url: 'https://example.com/file.zip', filename: 'file.zip' }),
  }
}
