import { randomInt } from 'node:crypto'
import { createServer, type Server } from 'node:net'

/**
 * Below every system's ephemeral ports. One of those could be taken by an outgoing connection before
 * the caller listens on it or while its server is stopped; and a client that calls a stopped server
 * there may even be connected to itself.
 */
const [FIRST, END] = [10_240, 32_768]

/** Another start in each process, and no port twice in one. */
let next = randomInt(FIRST, END)

/** A loopback port that nobody listens on just now, and that the system gives to nobody else. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listenOnFreePort(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** Listens on such a port. Unlike one that the system picks, the server can be stopped and started on it. */
export async function listenOnFreePort(server: Server): Promise<number> {
  for (;;) {
    const port = next
    next = port + 1 < END ? port + 1 : FIRST
    if (await isListening(server, port)) return port
  }
}

function isListening(server: Server, port: number): Promise<boolean> {
  return new Promise((resolve, reject) => {
    server.once('error', onError)
    server.listen(port, '127.0.0.1', () => {
      server.off('error', onError)
      resolve(true)
    })
    function onError(error: NodeJS.ErrnoException): void {
      // Windows refuses some ports, which it reserves.
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(false)
      else reject(error)
    }
  })
}
