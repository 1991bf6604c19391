import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

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
