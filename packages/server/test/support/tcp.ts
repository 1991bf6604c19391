import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'

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
