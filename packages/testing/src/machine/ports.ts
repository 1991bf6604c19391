import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from './clean-up.ts'

/**
 * Below the ephemeral ports of every system. An outgoing connection could occupy an ephemeral port before
 * the caller listens on it, or while its server is stopped. A client that connects to such a port of a
 * stopped server may even be connected to itself.
 */
const [FIRST, END] = [10_240, 32_768]

/** Starts at a random port in each process, and counts up, so that a process does not reuse ports. */
let next = randomInt(FIRST, END)

/** A loopback port without a listener, which the system does not assign to other processes. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/**
 * Makes the server listen on a free port, and returns it. Unlike an ephemeral port, it stays available while the server
 * is stopped.
 */
export async function listenOnFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = next
    next = port + 1 < END ? port + 1 : FIRST
    if (await tryListen(server, port)) return port
  }
}

function tryListen(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', onError)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', onError)
      resolve(true)
    })
    function onError(error: NodeJS.ErrnoException): void {
      // Windows reserves some ports and refuses access to them.
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false)
      else reject(error)
    }
  })
}

/**
 * Starts an HTTP server on a loopback port, by default a free one, and closes it with its connections after the test.
 * Returns its URL.
 */
export async function anHttpServer(
  t: TestContext,
  listener: RequestListener,
  port = 0,
): Promise<string> {
  const server = createHttpServer(listener)
  await once(server.listen(port, '127.0.0.1'), 'listening')
  cleanUp(t, () => {
    const closed = once(server, 'close')
    server.close().closeAllConnections()
    return closed
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
