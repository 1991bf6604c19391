import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'

/** A port on which another program listens until the test ends. */
export async function aTakenPort(t: TestContext): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

/** Connects and says nothing, as browsers do ahead of a request that they may never send. */
export async function aSilentConnection(t: TestContext, url: string): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  t.after(() => socket.destroy())
  await once(socket, 'connect')
  // How it ends is not what is tested.
  socket.on('error', () => {})
}

/** Whether nobody listens there (any more). */
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
