import { connect, createServer, type Socket } from 'node:net'
import { listenOnFreePort } from '../machine/free-port.ts'

export interface TcpProxy {
  port: number
  /** Cuts every connection and takes no new ones. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Keeps every connection, but passes nothing on any more. */
  hush(): void
}

/**
 * Passes bytes on to a port, of this machine unless another is named, until it is stopped. It listens on a
 * free port, unless one is named.
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
    hush() {
      for (const socket of sockets) socket.pause()
    },
  }
}
