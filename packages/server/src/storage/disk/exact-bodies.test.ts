import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { partPlan, partRanges } from '../../domain/parts.ts'
import { openDiskStorage } from './disk-storage.ts'

/** The first goes through the HTTP parser, the second past it. */
const LENGTHS = [1000, 300_000]

/** An open upload of two parts, and what a sender without manners says to its storage. */
async function aScene(
  t: TestContext,
  { length, plainReads }: { length: number; plainReads: boolean },
) {
  const storage = await openDiskStorage({
    directory: await aFolder(t),
    host: '127.0.0.1',
    port: 0,
    reserve: 0,
    plainReads,
    onFailure: (failure) => assert.fail(JSON.stringify(failure)),
  })
  cleanUp(t, () => storage.close())
  const upload = { key: randomUUID(), id: randomUUID() }
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const later = new Date(Date.now() + 60_000)
  const ranges = partRanges(partPlan(2 * length, length))
  const { urls } = await storage.signParts(upload, ranges, later)
  const [one = '', two = ''] = urls.map((url) => url.slice(storage.url.length))

  /** The statuses of all answers, until the other side closes. */
  async function say(...words: (string | Buffer)[]): Promise<number[]> {
    const { hostname, port } = new URL(storage.url)
    const socket = connect({ host: hostname, port: Number(port) })
    socket.write(Buffer.concat(words.map((word) => Buffer.from(word))))
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    // It may be cut off while it still sends.
    socket.on('error', () => {})
    await new Promise((resolve) => socket.once('close', resolve))
    const text = Buffer.concat(chunks).toString()
    return Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))
  }
  const stored = async () => (await storage.listParts(upload))?.map(({ number }) => number)
  return { one, two, say, stored }
}

function put(path: string, headers: string | number): string {
  const lines = typeof headers === 'number' ? `Content-Length: ${headers}` : headers
  return `PUT ${path} HTTP/1.1\r\nHost: x\r\n${lines}\r\n\r\n`
}

/** Has the storage close the connection. */
const LAST = 'OPTIONS /uploads/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'

/** Of that length, and full of requests that would store the part at the path. */
function asRequests(path: string, length: number): Buffer {
  const one = `\r\n\r\n${put(path, length)}${'x'.repeat(100)}`
  return Buffer.alloc(length, one)
}

for (const plainReads of [false, true]) {
  for (const length of LENGTHS) {
    const way = { length, plainReads }
    const name = (sentence: string) => {
      return `${plainReads ? 'plain reads, ' : ''}${length} bytes: ${sentence}`
    }

    test(
      name('requests sent at once are answered in their order, each with its body'),
      async (t) => {
        const { one, two, say, stored } = await aScene(t, way)
        const body = Buffer.alloc(length, 'a')
        const said = [put(one, length), body, put(two, length), body, put(one, 5), 'short', LAST]
        assert.deepEqual(await say(...said), [200, 200, 400, 204])
        assert.deepEqual(await stored(), [1, 2])
      },
    )

    test(name('a body that is full of requests is a body'), async (t) => {
      const { one, two, say, stored } = await aScene(t, way)
      const said = [put(one, length), asRequests(two, length), LAST]
      assert.deepEqual(await say(...said), [200, 204])
      assert.deepEqual(await stored(), [1])
    })

    test(name('a refused body that is full of requests is a body too'), async (t) => {
      const { one, two, say, stored } = await aScene(t, way)
      const unsigned = put(`${one}A`, length)
      assert.deepEqual(await say(unsigned, asRequests(two, length), LAST), [403, 204])
      const tooLong = [put(one, length + 1), asRequests(two, length + 1)]
      assert.deepEqual(await say(...tooLong, LAST), [400, 204])
      assert.deepEqual(await stored(), [])
    })

    test(name('a body that was announced ends where it was said to'), async (t) => {
      const { one, two, say, stored } = await aScene(t, way)
      const announced = put(one, `Content-Length: ${length}\r\nExpect: 100-continue`)
      assert.deepEqual(await say(announced, asRequests(two, length), LAST), [100, 200, 204])
      assert.deepEqual(await stored(), [1])
    })

    test(name('where two readers could see two ends, nothing is taken'), async (t) => {
      const { one, two, say, stored } = await aScene(t, way)
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
        const statuses = await say(put(one, headers), asRequests(two, length), LAST)
        assert.deepEqual(statuses, [400], headers)
      }
      assert.deepEqual(await stored(), [])
    })

    test(
      name('chunks without a length are refused, and what is in them is not read'),
      async (t) => {
        const { one, two, say, stored } = await aScene(t, way)
        const chunk = [`${length.toString(16)}\r\n`, asRequests(two, length), '\r\n0\r\n\r\n']
        const statuses = await say(put(one, 'Transfer-Encoding: chunked'), ...chunk, LAST)
        assert.deepEqual(statuses, [400, 204])
        assert.deepEqual(await stored(), [])
      },
    )

    test(name('who asks for another protocol is only heard as HTTP'), async (t) => {
      const { one, two, say, stored } = await aScene(t, way)
      const upgrade = 'Connection: Upgrade, close\r\nUpgrade: websocket'
      const head = put(one, `Content-Length: ${length}\r\n${upgrade}`)
      assert.deepEqual(await say(head, asRequests(two, length)), [200])
      assert.deepEqual(await stored(), [1])
    })
  }

  test(`${plainReads ? 'plain reads: ' : ''}letters after a long body are not HTTP`, async (t) => {
    const { one, say, stored } = await aScene(t, { length: 300_000, plainReads })
    const body = Buffer.alloc(300_000)
    assert.deepEqual(await say(put(one, 300_000), body, 'nonsense\r\n\r\n'), [200, 400])
    assert.deepEqual(await stored(), [1])
  })
}
