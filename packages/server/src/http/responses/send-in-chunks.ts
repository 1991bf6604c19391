import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

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
