import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type * as wire from '@stowage/protocol'
import type { FastifyReply } from 'fastify'
import type { Product, ProductGroup } from '../../domain/product.ts'
import type { ProductSlice } from '../../operations/assets.ts'
import type { ProductWithAssets } from '../../operations/products.ts'
import { presentAsset, presentProduct } from '../../wire/resources.ts'

/**
 * Sends JSON that is produced in chunks, between `head` and `tail`. A chunk is produced only after the
 * client has read the previous one, and other requests get a turn in between. The first two chunks are
 * produced before anything is sent, so that a short body is sent as a whole, and an early failure still
 * gets an error response.
 */
export async function sendJsonStream(
  reply: FastifyReply,
  chunks: AsyncGenerator<string>,
  { head, tail }: { head: string; tail: string },
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8')
  const first = await chunks.next()
  const second = await chunks.next()
  const start = head + (first.done ? '' : first.value)
  if (second.done) return reply.send(start + tail)

  async function* text(): AsyncGenerator<string> {
    yield start
    yield second.value
    for await (const chunk of chunks) {
      yield chunk
      await nextTurn()
    }
    yield tail
  }
  return reply.send(Readable.from(text()))
}

/** How many elements of a list are serialized before other requests get a turn. */
const CHUNK_LENGTH = 500

/**
 * Sends an object as JSON. If one of its lists has thousands of elements, such as the URLs of a huge
 * file, the JSON is sent in chunks, so that other requests do not wait for all of it.
 */
export function sendInChunks<Body extends object>(reply: FastifyReply, body: Body) {
  const isLarge = Object.values(body).some(
    (value) => Array.isArray(value) && value.length > CHUNK_LENGTH,
  )
  if (!isLarge) return body
  return reply.type('application/json; charset=utf-8').send(Readable.from(chunksOf(body)))
}

async function* chunksOf(body: object): AsyncIterable<string | Buffer> {
  let separator = '{'
  for (const [name, value] of Object.entries(body)) {
    yield `${separator}${JSON.stringify(name)}:`
    if (Array.isArray(value)) yield* listChunks(value)
    else yield JSON.stringify(value)
    separator = ','
  }
  yield '}'
}

async function* listChunks(list: unknown[]): AsyncIterable<string | Buffer> {
  yield '['
  for (let start = 0; start < list.length; start += CHUNK_LENGTH) {
    if (start > 0) yield ','
    // Cut the brackets off bytes, not text: slicing a string here would copy the whole chunk.
    const text = Buffer.from(JSON.stringify(list.slice(start, start + CHUNK_LENGTH)))
    yield text.subarray(1, -1)
    await nextTurn()
  }
  yield ']'
}

/** The elements of a JSON array of assets. An asset with many products spans several chunks. */
export async function* assetChunks(slices: AsyncIterable<ProductSlice[]>): AsyncGenerator<string> {
  let isStart = true
  for await (const slice of slices) {
    let text = ''
    for (const { asset, products, isFirst, isLast } of slice) {
      const list = elementsOf(products.map(presentProduct))
      if (isFirst) {
        const members = JSON.stringify(presentAsset(asset)).slice(0, -1)
        text += `${isStart ? '' : ','}${members},"products":[${list}`
      } else if (list !== '') text += `,${list}`
      if (isLast) text += ']}'
      isStart = false
    }
    yield text
  }
}

/** From this length on, the JSON of a list is sent in chunks, so that other requests do not wait for all of it. */
const CHUNK_CHARACTERS = 250_000

/** The elements of a JSON array of products without their assets. */
export async function* plainProductChunks(products: Product[]): AsyncGenerator<string> {
  let text = ''
  for (const [index, product] of products.entries()) {
    text += (index === 0 ? '' : ',') + JSON.stringify(presentProduct(product))
    if (text.length < CHUNK_CHARACTERS) continue
    yield text
    text = ''
  }
  yield text
}

/** The elements of a JSON array of products. */
export async function* productChunks(
  slices: AsyncIterable<ProductWithAssets[]>,
): AsyncGenerator<string> {
  let isStart = true
  for await (const slice of slices) {
    const list = elementsOf(slice.map(presentProductWithAssets))
    yield isStart ? list : `,${list}`
    isStart = false
  }
}

/** The elements of a JSON array of products with their variants. */
export async function* groupChunks(slices: AsyncIterable<ProductGroup[]>): AsyncGenerator<string> {
  let isStart = true
  for await (const slice of slices) {
    // All products of this slice were deleted in the meantime.
    if (slice.length === 0) continue
    const list = elementsOf(slice.map(presentProductGroup))
    yield isStart ? list : `,${list}`
    isStart = false
  }
}

/** The JSON before and after the elements of a list; `rest` are the other members of the body. */
export function aroundList(rest: object): { head: string; tail: string } {
  return { head: '{"data":[', tail: `],${JSON.stringify(rest).slice(1)}` }
}

/** The JSON before and after a single element. */
export const AROUND_ONE = { head: '{"data":', tail: '}' }

function elementsOf(list: unknown[]): string {
  return JSON.stringify(list).slice(1, -1)
}

function presentProductGroup(group: ProductGroup): wire.ProductGroup {
  const { productId, variants, variantsTotal, assetsTotal, attachedTotal, matchingTotal } = group
  const [first] = variants
  return {
    product_id: productId,
    name: first?.name ?? '',
    vendor: first?.vendor ?? '',
    tags: first?.tags ?? [],
    variants: variants.map(presentProduct),
    variants_total: variantsTotal,
    ...(assetsTotal !== undefined && { assets_total: assetsTotal }),
    ...(matchingTotal !== undefined && { matching_total: matchingTotal }),
    ...(attachedTotal !== undefined && { attached_total: attachedTotal }),
  }
}

export function presentProductWithAssets({
  product,
  assets,
  total,
}: ProductWithAssets): wire.ProductWithAssets {
  return { ...presentProduct(product), assets: assets.map(presentAsset), assets_total: total }
}
