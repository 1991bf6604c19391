import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { freePort } from '@stowage/testing/machine/free-port'

/** Stands before the disk storage, and lets only so much through. */
export interface StorageGate {
  /** What the service needs to be told. */
  settings: Record<string, string>
  /** How many parts the storage has taken. */
  parts(): number
  /** How many parts came that are held back. Those whose client is gone no longer count. */
  held(): number
  /** So many more parts go through, and the rest is held back; tiny ones always go through. */
  letThrough(parts: number): void
  /** Breaks the connections of the parts that are held back, which then come again. */
  dropHeld(): void
  /** Of each download only so many bytes go through; then it stands still, or breaks. */
  cutDownloadsAfter(bytes: number, how?: 'stall' | 'break'): void
  /** Bytes of parts that arrived here, whether they went through or not. */
  bytesSent(): number
}

const TINY = 1000

export async function aStorageGate(t: TestContext): Promise<StorageGate> {
  const port = await freePort()
  let allowance = Number.POSITIVE_INFINITY
  let downloadable = Number.POSITIVE_INFINITY
  let breaks = false
  let parts = 0
  let held: http.ServerResponse[] = []
  let bytesSent = 0
  const agent = new http.Agent()
  const server = http.createServer((request, response) => {
    request.on('data', (chunk) => {
      bytesSent += chunk.length
    })
    request.on('error', () => {})
    response.on('error', () => {})
    const isTiny = Number(request.headers['content-length']) < TINY
    if (request.method === 'PUT' && !isTiny) {
      if (allowance <= 0) {
        held.push(response)
        response.once('close', () => {
          held = held.filter((one) => one !== response)
        })
        return
      }
      allowance -= 1
    }
    const { method, url, headers } = request
    const onwards = http.request({ port, host: '127.0.0.1', method, path: url, headers, agent })
    onwards.on('error', () => response.destroy())
    onwards.on('response', (answer) => {
      if (method === 'PUT' && answer.statusCode === 200) parts += 1
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      let left = method === 'GET' ? downloadable : Number.POSITIVE_INFINITY
      answer.on('data', (chunk: Buffer) => {
        const some = chunk.subarray(0, Math.min(left, chunk.length))
        left -= some.length
        response.write(some, () => left === 0 && breaks && response.destroy())
      })
      answer.on('end', () => {
        if (left > 0) response.end()
      })
    })
    request.pipe(onwards)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanUp(t, () => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  const { port: own } = server.address() as AddressInfo
  return {
    settings: {
      STOWAGE_STORAGE_PORT: String(port),
      STOWAGE_STORAGE_URL: `http://127.0.0.1:${own}`,
    },
    parts: () => parts,
    held: () => held.length,
    dropHeld() {
      for (const response of held) response.destroy()
      held = []
    },
    letThrough(more) {
      allowance = more
    },
    cutDownloadsAfter(bytes, how = 'stall') {
      downloadable = bytes
      breaks = how === 'break'
    },
    bytesSent: () => bytesSent,
  }
}
