import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { partPlan, partRanges } from '../../domain/parts.ts'
import { openDiskStorage } from './disk-storage.ts'

/** Bodies of the second length bypass the HTTP parser where `fastBody` is on. */
const LENGTHS = [1000, 300_000]

/** An open upload of two parts, and a raw connection to its storage. */
async function anUpload(
  t: TestContext,
  { length, fastBody }: { length: number; fastBody: boolean },
) {
  const storage = await openDiskStorage({
    directory: await aFolder(t),
    host: '127.0.0.1',
    port: 0,
    reserve: 0,
    fastBody,
    ownThread: false,
    onFailure: (failure) => assert.fail(JSON.stringify(failure)),
  })
  cleanUp(t, () => storage.close())
  const upload = { key: randomUUID(), id: randomUUID() }
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const later = new Date(Date.now() + 60_000)
  const ranges = partRanges(partPlan(2 * length, length))
  const { urls } = await storage.signParts(upload, ranges, later)
  const [one = '', two = ''] = urls.map((url) => url.slice(storage.url.length))

  /** Sends the chunks and returns the statuses of all responses, until the server closes. */
  async function send(...chunks: (string | Buffer)[]): Promise<number[]> {
    const { hostname, port } = new URL(storage.url)
    const socket = connect({ host: hostname, port: Number(port) })
    socket.write(Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))))
    const received: Buffer[] = []
    socket.on('data', (chunk) => received.push(chunk))
    // The server may close the connection while the client is still sending.
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('close', resolve))
    const text = Buffer.concat(received).toString()
    return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))
  }
  const stored = async () => (await storage.listParts(upload))?.map(({ number }) => number)
  return { one, two, send, stored }
}

function put(path: string, headers: string | number): string {
  const lines = typeof headers === 'number' ? `Content-Length: ${headers}` : headers
  return `PUT ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n`
}

/** Makes the storage close the connection. */
const LAST = 'OPTIONS /uploads/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/** A body of this length that consists of requests, each of which would store the part at the path. */
function asRequests(path: string, length: number): Buffer {
  const one = `\r\n\r\n${put(path, length)}${'x'.repeat(100)}`
  return Buffer.alloc(length, one)
}

for (const fastBody of [true, false]) {
  for (const length of LENGTHS) {
    const options = { length, fastBody }
    const name = (sentence: string) => {
      return `${fastBody ? 'fast' : 'plain'} body, ${length} bytes: ${sentence}`
    }

    test(
      name('pipelined requests get their responses in order, each with its own body'),
      async (t) => {
        const { one, two, send, stored } = await anUpload(t, options)
        const body = Buffer.alloc(length, 'a')
        const sent = [put(one, length), body, put(two, length), body, put(one, 5), 'short', LAST]
        assert.deepEqual(await send(...sent), [200, 200, 400, 204])
        assert.deepEqual(await stored(), [1, 2])
      },
    )

    test(name('requests inside a body are not executed'), async (t) => {
      const { one, two, send, stored } = await anUpload(t, options)
      const sent = [put(one, length), asRequests(two, length), LAST]
      assert.deepEqual(await send(...sent), [200, 204])
      assert.deepEqual(await stored(), [1])
    })

    test(name('requests inside a refused body are not executed'), async (t) => {
      const { one, two, send, stored } = await anUpload(t, options)
      const unsigned = put(`${one}A`, length)
      assert.deepEqual(await send(unsigned, asRequests(two, length), LAST), [403, 204])
      const tooLong = [put(one, length + 1), asRequests(two, length + 1)]
      assert.deepEqual(await send(...tooLong, LAST), [400, 204])
      assert.deepEqual(await stored(), [])
    })

    test(
      name('the body of a request that expects 100 Continue ends at its Content-Length'),
      async (t) => {
        const { one, two, send, stored } = await anUpload(t, options)
        const announced = put(one, `Content-Length: ${length}\r\nExpect: 100-continue`)
        assert.deepEqual(await send(announced, asRequests(two, length), LAST), [100, 200, 204])
        assert.deepEqual(await stored(), [1])
      },
    )

    test(name('a request whose body length is ambiguous is refused'), async (t) => {
      const { one, two, send, stored } = await anUpload(t, options)
      const right = `Content-Length: ${length}`
      const ambiguous = [
        `${right}\r\nTransfer-Encoding: chunked`,
        `Transfer-Encoding: chunked\r\n${right}`,
        `${right}\r\nTransfer-Encoding: identity`,
        `${right}\r\nTransfer-Encoding: xchunked`,
        `${right}\r\nTransfer-Encoding: chunked, identity`,
        `${right}\r\nTransfer-Encoding : chunked`,
        `${right}\r\nTransfer-Encoding:\r\n chunked`,
        `${right}\r\n${right}`,
        `${right}\r\nContent-Length: 0`,
        `Content-Length: 0\r\n${right}`,
        `${right}, ${length}`,
        `${right}\r\n 0`,
        `Content-Length: +${length}`,
        `Content-Length: ${length}.0`,
        `Content-Length: ${length / 1000}e3`,
        `Content-Length: 0x${length.toString(16)}`,
        'Content-Length:',
      ]
      for (const headers of ambiguous) {
        const statuses = await send(put(one, headers), asRequests(two, length), LAST)
        assert.deepEqual(statuses, [400], headers)
      }
      assert.deepEqual(await stored(), [])
    })

    test(name('a chunked body is refused, and requests inside it are not executed'), async (t) => {
      const { one, two, send, stored } = await anUpload(t, options)
      const chunk = [`${length.toString(16)}\r\n`, asRequests(two, length), '\r\n0\r\n\r\n']
      const statuses = await send(put(one, 'Transfer-Encoding: chunked'), ...chunk, LAST)
      assert.deepEqual(statuses, [400, 204])
      assert.deepEqual(await stored(), [])
    })

    test(name('a request to upgrade the protocol is handled as plain HTTP'), async (t) => {
      const { one, two, send, stored } = await anUpload(t, options)
      const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket'
      const head = put(one, `Content-Length: ${length}\r\n${upgrade}`)
      assert.deepEqual(await send(head, asRequests(two, length)), [200])
      assert.deepEqual(await stored(), [1])
    })
  }

  test(`${fastBody ? 'fast' : 'plain'} body: after a long body, bytes that are not HTTP are refused`, async (t) => {
    const { one, send, stored } = await anUpload(t, { length: 300_000, fastBody })
    const body = Buffer.alloc(300_000)
    assert.deepEqual(await send(put(one, 300_000), body, 'nonsense\r\n\r\n'), [200, 400])
    assert.deepEqual(await stored(), [1])
  })
}
