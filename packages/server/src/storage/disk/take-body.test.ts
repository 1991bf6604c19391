import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { someBytes } from '@stowage/testing/service/upload'
import { openLines } from './open-lines.ts'
import { takeBody } from './take-body.ts'

const BIG = 3_000_001

type Answer = (request: IncomingMessage, response: ServerResponse) => Promise<string>

interface Way {
  plainReads: boolean
  idleMs?: number
}

/** A server on lines, and one connection to it. */
async function aConnection(t: TestContext, { plainReads, idleMs = 0 }: Way, answer: Answer) {
  const server = createServer(async (request, response) => {
    const text = await answer(request, response).catch((error) => `failed: ${error.message}`)
    response.end(`<${text}>`)
  })
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  openLines(server, { plainReads })
  server.setTimeout(idleMs)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  cleanUp(t, async () => {
    socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { socket, lines: () => connections }
}

/** Answers with the length of the body once it has it whole and unharmed. */
function compareWith(expected: Buffer): Answer {
  return async (request, response) => {
    const pieces: Buffer[] = []
    await takeBody(request, response, (bytes) => pieces.push(Buffer.from(bytes)))
    const body = Buffer.concat(pieces)
    return body.equals(expected.subarray(0, body.length)) ? `${body.length}` : 'other bytes'
  }
}

function aPut(body: Buffer): Buffer {
  const head = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** The next answers, in the order of the requests. */
function answers(socket: Socket, count: number): Promise<string[]> {
  return new Promise((resolve) => {
    let text = ''
    socket.on('data', function gather(bytes) {
      text += bytes
      const found = text.match(/(?<=<)[^>]*(?=>)/g) ?? []
      if (found.length < count) return
      socket.off('data', gather)
      resolve(found)
    })
  })
}

/** Then what was sent is there, as far as it is let in. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
}

for (const way of [{ plainReads: false }, { plainReads: true }]) {
  const name = (sentence: string) => `${way.plainReads ? 'plain' : 'shared'}: ${sentence}`

  test(name('one connection takes bodies of every size, one after the other'), async (t) => {
    const bytes = someBytes(BIG)
    const { socket, lines } = await aConnection(t, way, compareWith(bytes))
    for (const length of [BIG, 0, 1, 70_000, BIG, BIG, 10]) {
      socket.write(aPut(bytes.subarray(0, length)))
      assert.deepEqual(await answers(socket, 1), [`${length}`])
    }
    assert.ok(lines() >= 4, 'no body went past the parser')
  })

  test(
    name('requests that are sent without waiting for the answers are answered in turn'),
    async (t) => {
      const bytes = someBytes(BIG)
      const { socket } = await aConnection(t, way, compareWith(bytes))
      const lengths = [BIG, 5, BIG - 1, 0, 600_000, BIG]
      socket.write(Buffer.concat(lengths.map((length) => aPut(bytes.subarray(0, length)))))
      assert.deepEqual(await answers(socket, lengths.length), lengths.map(String))
    },
  )

  test(name('a body that is not wanted is swallowed, and the connection goes on'), async (t) => {
    const { socket } = await aConnection(t, way, async (request, response) => {
      await takeBody(request, response, () => {
        throw new Error('no room')
      })
      return 'taken'
    })
    for (const _ of [1, 2]) {
      socket.write(aPut(someBytes(BIG)))
      assert.deepEqual(await answers(socket, 1), ['failed: no room'])
    }
  })

  test(name('a sender that goes away in the middle is noticed'), async (t) => {
    const noticed = Promise.withResolvers<unknown>()
    const { socket } = await aConnection(t, way, async (request, response) => {
      const taking = takeBody(request, response, () => socket.destroy())
      taking.then(noticed.reject, noticed.resolve)
      await taking
      return 'taken'
    })
    socket.write(aPut(someBytes(BIG)).subarray(0, 1_000_000))
    assert.match(String(await noticed.promise), /went away/)
  })

  test(name('a sender that only stops in the middle is noticed too'), async (t) => {
    const noticed = Promise.withResolvers<unknown>()
    const { socket } = await aConnection(t, way, async (request, response) => {
      const taking = takeBody(request, response, () => {})
      taking.then(noticed.reject, noticed.resolve)
      await taking
      return 'taken'
    })
    socket.end(aPut(someBytes(BIG)).subarray(0, 1_000_000))
    assert.match(String(await noticed.promise), /went away/)
  })

  test(name('a sender that was gone before its body was asked for is noticed too'), async (t) => {
    const noticed = Promise.withResolvers<unknown>()
    const { socket } = await aConnection(t, way, async (request, response) => {
      socket.resetAndDestroy()
      await new Promise((resolve) => request.once('close', resolve))
      const taking = takeBody(request, response, () => {})
      taking.then(noticed.reject, noticed.resolve)
      await taking
      return 'taken'
    })
    socket.write(aPut(someBytes(BIG)).subarray(0, 1000))
    assert.match(String(await noticed.promise), /went away/)
  })

  test(name('a sender that stands still is cut off'), async (t) => {
    const noticed = Promise.withResolvers<unknown>()
    const { socket } = await aConnection(t, { ...way, idleMs: 50 }, async (request, response) => {
      const taking = takeBody(request, response, () => {})
      taking.then(noticed.reject, noticed.resolve)
      await taking
      return 'taken'
    })
    socket.write(aPut(someBytes(BIG)).subarray(0, 1_000_000))
    assert.match(String(await noticed.promise), /went away/)
  })

  test(name('who closes its side after the body still gets the answer'), async (t) => {
    for (const length of [10, 70_000, 90_000, BIG]) {
      const bytes = someBytes(length)
      const { socket } = await aConnection(t, way, async (request, response) => {
        await someTurns()
        const compared = await compareWith(bytes)(request, response)
        await someTurns()
        return compared
      })
      socket.end(aPut(bytes))
      assert.deepEqual(await answers(socket, 1), [`${length}`])
      if (!socket.readableEnded) await once(socket, 'end')
    }
  })

  test(name('while nobody asks for a body, little of it is held'), async (t) => {
    const { socket } = await aConnection(t, way, async (request, response) => {
      await someTurns()
      const held = request.readableLength + request.socket.readableLength
      await takeBody(request, response, () => {})
      return held <= 128 * 1024 ? 'little' : `${held}`
    })
    for (const _ of [1, 2, 3]) {
      socket.write(aPut(someBytes(BIG)))
      assert.deepEqual(await answers(socket, 1), ['little'])
    }
  })
}
