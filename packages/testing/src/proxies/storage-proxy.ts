import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from '../machine/clean-up.ts'
import { freePort } from '../machine/ports.ts'

/** An HTTP proxy in front of the disk storage, which holds back parts and cuts downloads. */
interface StorageProxy {
  /** Settings for a service whose storage is behind this proxy. */
  settings: Record<string, string>
  /** The number of parts that clients started to send. */
  started(): number
  /** The number of parts that the storage accepted. */
  accepted(): number
  /** The number of parts that are held back. A part whose client disconnects no longer counts. */
  held(): number
  /** Forwards this many more parts and holds back the rest. Parts below 1 kB are always forwarded. */
  letThrough(parts: number): void
  /** Forwards all later parts. Those that are held stay held. */
  release(): void
  /** Breaks the connections of the held parts, so that clients send them again. */
  dropHeld(): void
  /** Forwards only this many bytes of each download, then stalls it or breaks its connection. */
  cutDownloadsAfter(bytes: number, how?: 'stall' | 'break'): void
  /** The number of bytes that clients have sent in parts, whether these were forwarded or held back. */
  bytesSent(): number
}

const TINY = 1000

/**
 * The body of a held part is read and discarded, so that the client only waits for the response and the
 * proxy notices when it disconnects.
 */
export async function aStorageProxy(
  t: TestContext,
  { letThrough = Number.POSITIVE_INFINITY } = {},
): Promise<StorageProxy> {
  const port = await freePort()
  let allowance = letThrough
  let downloadable = Number.POSITIVE_INFINITY
  let breaks = false
  let started = 0
  let accepted = 0
  let bytesSent = 0
  let held: http.ServerResponse[] = []
  const agent = new http.Agent()

  const server = http.createServer((request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    if (request.method === 'PUT') {
      started += 1
      const isTiny = Number(request.headers['content-length']) < TINY
      if (!isTiny && allowance <= 0) return hold(request, response)
      if (!isTiny) allowance -= 1
    }
    forward(request, response)
  })

  function countBytes(request: http.IncomingMessage): void {
    request.on('data', (chunk) => {
      bytesSent += chunk.length
    })
  }

  function hold(request: http.IncomingMessage, response: http.ServerResponse): void {
    held.push(response)
    response.once('close', () => {
      held = held.filter((one) => one !== response)
    })
    countBytes(request)
  }

  function forward(request: http.IncomingMessage, response: http.ServerResponse): void {
    const { method, url, headers } = request
    const onward = http.request({ port, host: '127.0.0.1', method, path: url, headers, agent })
    onward.on('error', () => response.destroy())
    onward.on('response', (upstream) => {
      if (method === 'PUT' && upstream.statusCode === 200) accepted += 1
      response.writeHead(upstream.statusCode ?? 502, upstream.headers)
      let left = method === 'GET' ? downloadable : Number.POSITIVE_INFINITY
      upstream.on('data', (chunk: Buffer) => {
        const some = chunk.subarray(0, Math.min(left, chunk.length))
        left -= some.length
        response.write(some, () => left === 0 && breaks && response.destroy())
      })
      upstream.on('end', () => {
        if (left > 0) response.end()
      })
    })
    request.on('error', () => onward.destroy())
    response.on('close', () => onward.destroy())
    countBytes(request)
    request.pipe(onward)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(t, () => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port: ownPort } = server.address() as AddressInfo
  return {
    settings: {
      STOWAGE_STORAGE_PORT: String(port),
      STOWAGE_STORAGE_URL: `http://127.0.0.1:${ownPort}`,
    },
    started: () => started,
    accepted: () => accepted,
    held: () => held.length,
    letThrough(parts) {
      allowance = parts
    },
    release() {
      allowance = Number.POSITIVE_INFINITY
    },
    dropHeld() {
      for (const response of held.splice(0)) response.destroy()
    },
    cutDownloadsAfter(bytes, how = 'stall') {
      downloadable = bytes
      breaks = how === 'break'
    },
    bytesSent: () => bytesSent,
  }
}
