import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { freePort } from '@stowage/testing/machine/free-port'

export interface StorageGate {
  /** A service with these has its storage behind the gate. */
  settings: Record<string, string>
  /** How many parts the browser began to send. */
  begun(): number
  /** How many the storage took. */
  taken(): number
  /** Lets all go on that wait, and those to come. */
  release(): void
}

/** Stands before the storage. After the first `free` parts they wait, and are not even read. */
export async function openStorageGate(t: TestContext, free: number): Promise<StorageGate> {
  let begun = 0
  let taken = 0
  let mayPass = free
  const waiting: (() => void)[] = []
  const storagePort = await freePort()

  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { url = '/', method = 'GET', headers } = incoming
    const onward = request({ port: storagePort, host: '127.0.0.1', path: url, method, headers })
    onward.on('response', (answer) => {
      if (method === 'PUT' && answer.statusCode === 200) taken += 1
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => outgoing.destroy())
    incoming.on('error', () => onward.destroy())
    outgoing.on('close', () => onward.destroy())
    incoming.pipe(onward)
  }

  const server = createServer((incoming, outgoing) => {
    if (incoming.method === 'PUT') begun += 1
    if (begun <= mayPass || incoming.method !== 'PUT') pass(incoming, outgoing)
    else waiting.push(() => pass(incoming, outgoing))
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
    begun: () => begun,
    taken: () => taken,
    release() {
      mayPass = Number.POSITIVE_INFINITY
      for (const goOn of waiting.splice(0)) goOn()
    },
  }
}
