import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/** How many elements of a list are made into text before others get their turn. */
const PIECE = 500

/**
 * Answers an object. Where a list in it has thousands of elements, as the addresses of a huge file
 * have, it goes out piece by piece, so that nobody else waits for the whole.
 */
export function inPieces<Body extends object>(reply: FastifyReply, body: Body) {
  const isLarge = Object.values(body).some((value) => Array.isArray(value) && value.length > PIECE)
  if (!isLarge) return body
  return reply.type('application/json; charset=utf-8').send(Readable.from(piecesOf(body)))
}

async function* piecesOf(body: object): AsyncIterable<string | Buffer> {
  let before = '{'
  for (const [name, value] of Object.entries(body)) {
    yield `${before}${JSON.stringify(name)}:`
    if (Array.isArray(value)) yield* listPieces(value)
    else yield JSON.stringify(value)
    before = ','
  }
  yield '}'
}

async function* listPieces(list: unknown[]): AsyncIterable<string | Buffer> {
  yield '['
  for (let start = 0; start < list.length; start += PIECE) {
    if (start > 0) yield ','
    // Bytes: what the list's own brackets are cut off, text would be copied for, and again.
    const text = Buffer.from(JSON.stringify(list.slice(start, start + PIECE)))
    yield text.subarray(1, -1)
    await nextTurn()
  }
  yield ']'
}
