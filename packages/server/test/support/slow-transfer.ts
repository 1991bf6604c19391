import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface SlowTransfer {
  /** Lets the rest of it go, and gives the answer with its whole body. */
  finish(): Promise<{ status: number | undefined; etag: string | undefined; body: Buffer }>
}

/** Like a browser's, its connections stay open until the service ends them. */
const agent = new Agent({ keepAlive: true })

/** A PUT that has sent the first half of its bytes and holds back the second. */
export async function aSlowPut(url: string, bytes: Buffer): Promise<SlowTransfer> {
  const put = request(url, {
    agent,
    method: 'PUT',
    headers: { 'Content-Length': bytes.length, Expect: '100-continue' },
  })
  const answered = once(put, 'response') as Promise<[IncomingMessage]>
  answered.catch(() => {})
  // Then the server has read the head: it knows that the part is on its way.
  put.flushHeaders()
  await once(put, 'continue')
  const half = Math.floor(bytes.length / 2)
  await new Promise((resolve) => put.write(bytes.subarray(0, half), resolve))
  return {
    async finish() {
      put.end(bytes.subarray(half))
      const [answer] = await answered
      return read(answer)
    },
  }
}

/** A GET that has the head of its answer and reads no further. */
export async function aSlowDownload(url: string): Promise<SlowTransfer> {
  const [answer] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage]
  return { finish: () => read(answer) }
}

async function read(answer: IncomingMessage) {
  const { statusCode: status, headers } = answer
  return { status, etag: headers.etag?.replaceAll('"', ''), body: await buffer(answer) }
}
