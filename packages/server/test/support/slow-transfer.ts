import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { downloadUrl, requestSession, someBytes, uploadFile } from '@stowage/testing/service/upload'

export interface SlowTransfer {
  /** Transfers the rest and returns the response with its whole body. */
  finish(): Promise<{ status: number | undefined; etag: string | undefined; body: Buffer }>
}

/** Its connections stay open until the service closes them, like those of a browser. */
const agent = new Agent({ keepAlive: true })

/** More than the buffers between two processes hold, so that a download stops when the client stops reading. */
const LONG = 40_000_000

/** A part with the bytes `sent`, and a download of the bytes `stored`, both in progress. */
export async function startSlowTransfers(baseUrl: string) {
  const stored = someBytes(LONG, 2)
  const asset = await uploadFile(baseUrl, { bytes: stored })
  const sent = someBytes(1_000_000, 3)
  const session = await requestSession(baseUrl, { bytes: sent })
  const put = await aSlowPut(session.urls[0]?.url ?? '', sent)
  const download = await aSlowDownload(await downloadUrl(baseUrl, asset.id))
  return { session, put, sent, download, stored }
}

/** A PUT that has sent the first half of its bytes, and sends the second half on `finish`. */
export async function aSlowPut(url: string, bytes: Buffer): Promise<SlowTransfer> {
  const put = request(url, {
    agent,
    method: 'PUT',
    headers: { 'Content-Length': bytes.length, Expect: '100-continue' },
  })
  const responded = once(put, 'response') as Promise<[IncomingMessage]>
  responded.catch(() => {})
  // "100 Continue" shows that the server has read the headers and started to receive the part.
  put.flushHeaders()
  await once(put, 'continue')
  const half = Math.floor(bytes.length / 2)
  await new Promise((resolve) => put.write(bytes.subarray(0, half), resolve))
  return {
    async finish() {
      put.end(bytes.subarray(half))
      const [response] = await responded
      return read(response)
    },
  }
}

/** A GET that has received the response headers, and reads the body on `finish`. */
export async function aSlowDownload(url: string): Promise<SlowTransfer> {
  const [response] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage]
  return { finish: () => read(response) }
}

async function read(response: IncomingMessage) {
  const { statusCode: status, headers } = response
  return { status, etag: headers.etag?.replaceAll('"', ''), body: await buffer(response) }
}
