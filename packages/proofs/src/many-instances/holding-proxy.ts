import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import type { TestContext } from 'node:test'

interface HoldingProxy {
  url: string
  /** The number of requests that were held back. */
  held(): number
  /** Forwards the held requests and all later ones. */
  release(): void
}

/** Forwards HTTP to a server, but holds back requests with this method until `release` is called. */
export async function aHoldingProxy(
  t: TestContext,
  target: string,
  method: string,
): Promise<HoldingProxy> {
  const { hostname, port } = new URL(target)
  const released = Promise.withResolvers<void>()
  let held = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const close = () => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', close).on('close', close)
    upstream.pipe(client)
    client.on('data', async (bytes) => {
      if (bytes.toString('latin1', 0, method.length + 1) === `${method} `) {
        held += 1
        await released.promise
      }
      upstream.write(bytes)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => held,
    release: released.resolve,
  }
}
