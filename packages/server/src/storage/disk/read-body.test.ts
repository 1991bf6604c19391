import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { someBytes } from '@stowage/testing/service/upload'
import { openFastBody } from './fast-body.ts'
import { openBodyReader, openTimeSlices, type ReadBody } from './read-body.ts'
import { allowHalfOpen } from './start-listener.ts'

const BIG = 3_000_001

type Respond = (
  readBody: ReadBody,
  request: IncomingMessage,
  response: ServerResponse,
) => Promise<string>

interface Options {
  fastBody: boolean
  keepAliveMs?: number
}

/** A server that responds with `<text>`, and one connection to it. */
async function aConnection(
  t: TestContext,
  { fastBody, keepAliveMs = 0 }: Options,
  respond: Respond,
) {
  const server = createServer(async (request, response) => {
    const text = await respond(readBody, request, response).catch(
      (error) => `failed: ${error.message}`,
    )
    response.end(`<${text}>`)
  })
  let parsers = 0
  server.on('connection', () => {
    parsers += 1
  })
  // By default, Node closes an idle connection after 5 s, which would hide that the server missed the client's end.
  server.keepAliveTimeout = keepAliveMs
  server.keepAliveTimeoutBuffer = 3 * keepAliveMs
  allowHalfOpen(server)
  const slices = openTimeSlices(() => performance.now())
  const readPlainBody = openBodyReader(slices)
  const readBody = fastBody
    ? openFastBody(server, { slices, readBody: readPlainBody })
    : readPlainBody
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  cleanUp(t, async () => {
    socket.destroy()
    server.close()
    await once(server, 'close')
  })
  return { socket, parserCount: () => parsers }
}

/** Responds with the length of the body if it equals the start of `expected`. */
function compareWith(expected: Buffer): Respond {
  return async (readBody, request, response) => {
    const chunks: Buffer[] = []
    await readBody(request, response, (bytes) => chunks.push(Buffer.from(bytes)))
    const body = Buffer.concat(chunks)
    return body.equals(expected.subarray(0, body.length)) ? `${body.length}` : 'other bytes'
  }
}

/** Reads the body and reports how that fails. */
function reportFailure(onBytes: () => void = () => {}) {
  const failure = Promise.withResolvers<unknown>()
  const respond: Respond = async (readBody, request, response) => {
    const reading = readBody(request, response, onBytes)
    reading.then(failure.reject, failure.resolve)
    await reading
    return 'read'
  }
  return { respond, failure: failure.promise }
}

function aPut(body: Buffer): Buffer {
  const head = `PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

/** The next responses, in the order of the requests. */
function responses(socket: Socket, count: number): Promise<string[]> {
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

/** Enough turns of the event loop for the sent bytes to arrive, as far as the server reads them. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await nextTurn()
}

for (const fastBody of [true, false]) {
  const name = (sentence: string) => `${fastBody ? 'fast' : 'plain'} body: ${sentence}`

  test(name('one connection receives bodies of every size, one after the other'), async (t) => {
    const bytes = someBytes(BIG)
    const { socket, parserCount } = await aConnection(t, { fastBody }, compareWith(bytes))
    for (const length of [BIG, 0, 1, 70_000, BIG, BIG, 10]) {
      socket.write(aPut(bytes.subarray(0, length)))
      assert.deepEqual(await responses(socket, 1), [`${length}`])
    }
    if (fastBody) assert.ok(parserCount() >= 4, 'no body bypassed the parser')
    else assert.equal(parserCount(), 1)
  })

  test(name('an idle connection is kept for longer than the announced time'), async (t) => {
    const bytes = someBytes(BIG)
    const { socket } = await aConnection(t, { fastBody, keepAliveMs: 100 }, compareWith(bytes))
    socket.write(aPut(bytes))
    await responses(socket, 1)
    const start = performance.now()
    socket.resume()
    await once(socket, 'end')
    const keptMs = performance.now() - start
    assert.ok(keptMs > 250, `${keptMs} ms`)
  })

  test(name('pipelined requests get their responses in order'), async (t) => {
    const bytes = someBytes(BIG)
    const { socket } = await aConnection(t, { fastBody }, compareWith(bytes))
    const lengths = [BIG, 5, BIG - 1, 0, 600_000, BIG]
    socket.write(Buffer.concat(lengths.map((length) => aPut(bytes.subarray(0, length)))))
    assert.deepEqual(await responses(socket, lengths.length), lengths.map(String))
  })

  test(name('a rejected body is discarded, and the connection stays usable'), async (t) => {
    const { socket } = await aConnection(t, { fastBody }, async (readBody, request, response) => {
      await readBody(request, response, () => {
        throw new Error('no space')
      })
      return 'read'
    })
    for (const _ of [1, 2]) {
      socket.write(aPut(someBytes(BIG)))
      assert.deepEqual(await responses(socket, 1), ['failed: no space'])
    }
  })

  test(
    name(
      'after a response that is sent before the body ends, the connection can be reused and closed',
    ),
    async (t) => {
      const { socket } = await aConnection(t, { fastBody }, async (readBody, request, response) => {
        await readBody(request, response, () => {
          throw new Error('no space')
        })
        return 'read'
      })
      const put = aPut(someBytes(BIG))
      for (const _ of [1, 2]) {
        socket.write(put.subarray(0, 1_000_000))
        assert.deepEqual(await responses(socket, 1), ['failed: no space'])
        socket.write(put.subarray(1_000_000))
        await someTurns()
      }
      socket.end(aPut(Buffer.alloc(0)))
      assert.deepEqual(await responses(socket, 1), ['read'])
      if (!socket.readableEnded) await once(socket, 'end')
    },
  )

  test(name('a client that disconnects during the body is detected'), async (t) => {
    const { respond, failure } = reportFailure(() => socket.destroy())
    const { socket } = await aConnection(t, { fastBody }, respond)
    socket.write(aPut(someBytes(BIG)).subarray(0, 1_000_000))
    assert.match(String(await failure), /disconnected/)
  })

  test(name('a client that closes its sending side during the body is detected'), async (t) => {
    const { respond, failure } = reportFailure()
    const { socket } = await aConnection(t, { fastBody }, respond)
    socket.end(aPut(someBytes(BIG)).subarray(0, 1_000_000))
    assert.match(String(await failure), /disconnected/)
  })

  test(name('a client that disconnects before the body is read is detected'), async (t) => {
    const { respond, failure } = reportFailure()
    const { socket } = await aConnection(t, { fastBody }, async (readBody, request, response) => {
      socket.resetAndDestroy()
      await new Promise((resolve) => request.once('close', resolve))
      return respond(readBody, request, response)
    })
    socket.write(aPut(someBytes(BIG)).subarray(0, 1000))
    assert.match(String(await failure), /disconnected/)
  })

  test(name('a client that stalls is disconnected'), async (t) => {
    const { respond, failure } = reportFailure()
    const { socket } = await aConnection(t, { fastBody }, (readBody, request, response) => {
      // Set here, because a busy machine may take longer than this to send the headers.
      request.socket.setTimeout(50)
      return respond(readBody, request, response)
    })
    socket.write(aPut(someBytes(BIG)).subarray(0, 1_000_000))
    assert.match(String(await failure), /disconnected/)
  })

  test(
    name('a client that closes its sending side after the body still gets the response'),
    async (t) => {
      for (const length of [10, 70_000, 90_000, BIG]) {
        const bytes = someBytes(length)
        const { socket } = await aConnection(t, { fastBody }, async (...exchange) => {
          await someTurns()
          const compared = await compareWith(bytes)(...exchange)
          await someTurns()
          return compared
        })
        socket.end(aPut(bytes))
        assert.deepEqual(await responses(socket, 1), [`${length}`])
        if (!socket.readableEnded) await once(socket, 'end')
      }
    },
  )

  test(name('at most 128 KiB of a body are buffered until it is read'), async (t) => {
    const { socket } = await aConnection(t, { fastBody }, async (readBody, request, response) => {
      await someTurns()
      const buffered = request.readableLength + request.socket.readableLength
      await readBody(request, response, () => {})
      return buffered <= 128 * 1024 ? 'little' : `${buffered}`
    })
    for (const _ of [1, 2, 3]) {
      socket.write(aPut(someBytes(BIG)))
      assert.deepEqual(await responses(socket, 1), ['little'])
    }
  })
}

function aClock() {
  let timeMs = 0
  return {
    nowMs: () => timeMs,
    advance(byMs: number) {
      timeMs += byMs
    },
  }
}

test('when a slice is used up, all sockets are paused until the next turn of the event loop', async () => {
  const clock = aClock()
  const slices = openTimeSlices(clock.nowMs)
  const [slow, quick] = [new Socket(), new Socket()]
  assert.equal(slices.mayContinue(quick), true)
  clock.advance(20)
  assert.equal(slices.mayContinue(slow), false)
  assert.equal(slices.mayContinue(quick), false)
  assert.deepEqual([slow.isPaused(), quick.isPaused()], [true, true])
  await nextTurn()
  assert.deepEqual([slow.isPaused(), quick.isPaused()], [false, false])
  assert.equal(slices.mayContinue(slow), true)
})

test('a removed socket is neither paused nor resumed', async () => {
  const clock = aClock()
  const slices = openTimeSlices(clock.nowMs)
  const [slow, reading, stopped] = [new Socket(), new Socket(), new Socket()]
  for (const socket of [reading, stopped]) {
    slices.mayContinue(socket)
    slices.remove(socket)
  }
  stopped.pause()
  clock.advance(20)
  assert.equal(slices.mayContinue(slow), false)
  assert.equal(reading.isPaused(), false)
  await nextTurn()
  assert.equal(stopped.isPaused(), true)
})
