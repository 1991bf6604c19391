import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/**
 * Answers JSON that is made piece by piece, between `head` and `tail`. The next piece is made only once the
 * client has taken the one before, and other requests get their turn in between. The first two pieces
 * are made before anything is sent: so a short answer goes out whole, and a failure gets its own answer.
 */
export async function inSlices(
  reply: FastifyReply,
  pieces: AsyncGenerator<string>,
  { head, tail }: { head: string; tail: string },
): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8')
  const first = await pieces.next()
  const second = await pieces.next()
  const begin = head + (first.done ? '' : first.value)
  if (second.done) return reply.send(begin + tail)

  async function* text(): AsyncGenerator<string> {
    yield begin
    yield second.value
    for await (const piece of pieces) {
      yield piece
      await nextTurn()
    }
    yield tail
  }
  return reply.send(Readable.from(text()))
}
