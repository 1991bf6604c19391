import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from './clean-up.ts'

/**
 * Starts an HTTP server on a loopback port, by default a free one, and closes it with its connections after the test.
 * Returns its URL.
 */
export async function anHttpServer(
  t: TestContext,
  listener: RequestListener,
  port = 0,
): Promise<string> {
  const server = createServer(listener)
  await once(server.listen(port, '127.0.0.1'), 'listening')
  cleanUp(t, () => {
    const closed = once(server, 'close')
    server.close().closeAllConnections()
    return closed
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
