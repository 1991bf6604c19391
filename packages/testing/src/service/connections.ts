import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { TestContext } from 'node:test'
import { downloadUrl, requestSession, someBytes, uploadFile } from './upload.ts'

/** A port on which another server listens until the test ends. */
export async function aTakenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Connects and sends nothing, as browsers do before a request that they may never send. */
export async function anIdleConnection(t: TestContext, url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  // The test does not depend on how the connection ends.
  socket.on('error', () => {})
}

/**
 * A POST whose body is incomplete, on a connection that the client never closes. `finish` sends the rest
 * and returns everything that the server sends until it closes its side.
 */
export async function anUnfinishedRequest(t: TestContext, url: string) {
  const { hostname, port, host, pathname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  t.after(() => socket.destroy())
  // The test does not depend on how the connection ends.
  socket.on('error', () => {})
  await once(socket, 'connect')
  const first = `GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json`
  socket.write(`${first}${head}\r\nContent-Length: 2\r\n\r\n{`)
  // The response to the first request shows that the server has read the headers of the second.
  await once(socket, 'data')
  return {
    async finish(): Promise<string> {
      let text = ''
      socket.on('data', (bytes) => {
        text += bytes
      })
      socket.write('}')
      await once(socket, 'end')
      return text
    },
  }
}

/** Whether no server listens at this URL. */
export async function isRefused(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  try {
    await once(socket, 'connect')
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

interface SlowTransfer {
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
  // A server that has responded may close the connection before all bytes are sent. Earlier errors also reject `responded`.
  put.on('error', () => {})
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

/** Opens an event stream and reads only the beginning of the response. */
export async function anUnreadStream(
  baseUrl: string,
  { key, lastEventId }: { key: string; lastEventId?: string },
): Promise<Socket> {
  const { hostname, port, host } = new URL(baseUrl)
  const socket = connect({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  const position = lastEventId === undefined ? '' : `Last-Event-ID: ${lastEventId}\r\n`
  socket.write(
    `GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n${position}\r\n`,
  )
  const [beginning] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  if (!beginning.toString('latin1').startsWith('HTTP/1.1 200 ')) throw new Error(`${beginning}`)
  return socket
}

/** The body of a `PUT /products` with 1.5 MB. Each call changes all products, which writes 25 events of 60 kB. */
export function largeProducts(round: number): object {
  const products = Array.from({ length: 25 }, (_, index) => ({
    product_id: 1,
    variant_id: index + 1,
    name: 'Pack',
    tags: Array.from({ length: 250 }, (_, tag) => `${round}-${tag}-`.padEnd(240, 'x')),
  }))
  return { products }
}
