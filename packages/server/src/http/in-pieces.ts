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

async function* piecesOf(body: object): AsyncIterable<string> {
  let before = '{'
  for (const [name, value] of Object.entries(body)) {
    yield `${before}${JSON.stringify(name)}:`
    if (Array.isArray(value)) yield* listPieces(value)
    else yield JSON.stringify(value)
    before = ','
  }
  yield '}'
}

async function* listPieces(list: unknown[]): AsyncIterable<string> {
  yield '['
  for (let start = 0; start < list.length; start += PIECE) {
    const text = JSON.stringify(list.slice(start, start + PIECE)).slice(1, -1)
    yield start === 0 ? text : `,${text}`
    await nextTurn()
  }
  yield ']'
}
