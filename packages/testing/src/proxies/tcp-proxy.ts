import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '../machine/ports.ts'

interface TcpProxy {
  port: number
  /** Closes all connections and refuses new ones. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Breaks all connections with a reset, as the network does, instead of closing them. */
  reset(): void
  /** Keeps the current connections open but stops forwarding data. */
  stall(): void
}

/**
 * Forwards bytes to a port, by default of this machine, until it is stopped. Listens on a free port unless
 * `listenOn` is given.
 */
export async function startTcpProxy(
  target: number,
  { host = '127.0.0.1', listenOn }: { host?: string; listenOn?: number } = {},
): Promise<TcpProxy> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, host)
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      socket.on('error', () => {
        client.destroy()
        upstream.destroy()
      })
    }
    client.pipe(upstream).pipe(client)
  })
  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  const port = listenOn ?? (await listenOnFreePort(server))
  if (listenOn !== undefined) await listen(listenOn)
  return {
    port,
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
    start: () => listen(port),
    reset() {
      for (const socket of sockets) socket.resetAndDestroy()
    },
    stall() {
      for (const socket of sockets) socket.pause()
    },
  }
}
