import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { freePort } from '@stowage/testing/machine/free-port'

export interface StorageGate {
  /** The service needs these to have its storage behind the gate. */
  settings: Record<string, string>
  /** The number of parts that the browser started to send. */
  started(): number
  /** The number of parts that the storage accepted. */
  accepted(): number
  /** Releases all held parts and holds no more. */
  release(): void
}

/** A proxy in front of the storage. It holds all parts after the first `free` ones without reading them. */
export async function openStorageGate(t: TestContext, free: number): Promise<StorageGate> {
  let started = 0
  let accepted = 0
  let limit = free
  const held: (() => void)[] = []
  const storagePort = await freePort()

  function forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { url = '/', method = 'GET', headers } = incoming
    const upstream = request({ port: storagePort, host: '127.0.0.1', path: url, method, headers })
    upstream.on('response', (response) => {
      if (method === 'PUT' && response.statusCode === 200) accepted += 1
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    })
    upstream.on('error', () => outgoing.destroy())
    incoming.on('error', () => upstream.destroy())
    outgoing.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  }

  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'PUT') started += 1
    if (started <= limit || incoming.method !== 'PUT') forward(incoming, outgoing)
    else held.push(() => forward(incoming, outgoing))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(t, () => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    settings: {
      STOWAGE_STORAGE_PORT: `${storagePort}`,
      STOWAGE_STORAGE_URL: `http://127.0.0.1:${port}`,
    },
    started: () => started,
    accepted: () => accepted,
    release() {
      limit = Number.POSITIVE_INFINITY
      for (const release of held.splice(0)) release()
    },
  }
}
