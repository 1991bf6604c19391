import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '@stowage/testing/machine/until'
import { callerWith } from '@stowage/testing/service/accounts'
import { anUnreadStream, largeProducts } from '@stowage/testing/service/connections'
import { aProbe, exchangePipelined } from './exchange.ts'
import type { GeneratorContext } from './generator-context.ts'
import type { Target } from './target.ts'

const MAX_CONNECTIONS = 2_000
/** Other files that the test and the service have open. */
const SPARE_FILES = 200
const PROBES = 20
const SLOW_SENDERS = 20
/** Of `PUT /products`. */
const LARGEST_BODY = 8 * 2 ** 20
const HELD_BODIES = 60
const UNREAD_STREAMS = 60
const LARGE_CHANGES = 4

/** Idle connections have sent nothing, a part of their headers, or a part of their body. */
const BEGINNINGS = [
  '',
  'GET /healthz HTTP/1.1\r\nHo',
  'POST /api/v1/assets/signed HTTP/1.1\r\nHost: a\r\nContent-Length: 99\r\n\r\n{',
]

/**
 * Opens as many idle connections as the machine allows, up to 2,000. Checks that other clients are still served, and
 * that the service then closes its side of these connections.
 */
export async function openIdleConnections(
  target: Target,
  context: GeneratorContext,
): Promise<number> {
  const count = Math.min(MAX_CONNECTIONS, openFileLimit() - SPARE_FILES)
  const ports = target.hasStorage ? (['api', 'storage'] as const) : (['api'] as const)
  const before = await countFiles(target)
  const sockets: Socket[] = []
  try {
    for (let index = 0; index < count; index += 1) {
      const port = ports[index % ports.length] ?? 'api'
      const socket = connect({ host: '127.0.0.1', port: portOf(target, port) })
      sockets.push(socket.on('error', () => {}))
      await once(socket, 'connect')
      socket.write(BEGINNINGS[index % BEGINNINGS.length] ?? '')
    }
    for (let index = 0; index < PROBES; index += 1) {
      for (const port of ports) {
        const { probe } = await exchangePipelined(portOf(target, port), [], aProbe(context, port))
        assert.equal(probe, 'responded', `with ${count} idle connections`)
      }
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
  await until(
    'the connections are closed',
    async () => (await countFiles(target)) <= before + PROBES,
  )
  return count
}

/**
 * Sends many of the largest bodies except for their last byte. Together they are larger than the memory limit of
 * `check-service.ts`. Meanwhile small bodies of the same key are accepted.
 */
export async function holdBodies(target: Target): Promise<void> {
  const body = Buffer.alloc(LARGEST_BODY - 1, '[')
  const head = `PUT /api/v1/products HTTP/1.1\r\nHost: ${target.hosts.api}\r\nAuthorization: Bearer ${target.key}\r\nContent-Type: application/json\r\nContent-Length: ${LARGEST_BODY}\r\n\r\n`
  const call = callerWith(target.service.baseUrl, target.key)
  let refused = 0
  const sockets = Array.from({ length: HELD_BODIES }, () => {
    const socket = connect({ host: '127.0.0.1', port: portOf(target, 'api') })
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      assert.match(bytes.toString(), /^HTTP\/1\.1 429 /)
      refused += 1
    })
    socket.write(head)
    socket.write(body)
    return socket
  })
  try {
    for (let index = 0; index < PROBES; index += 1) {
      const { status } = await call('POST', '/api/v1/assets/signed', { name: 'a.bin', size: -1 })
      assert.equal(status, 422, 'a small body is received while others are held')
    }
    await until('most bodies are refused', () => refused > HELD_BODIES / 2)
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** Requests that arrive byte by byte get a normal response. */
export async function sendSlowly(target: Target): Promise<void> {
  const body = JSON.stringify({ name: 'slow.bin', size: -1 })
  const head = `POST /api/v1/assets/signed HTTP/1.1\r\nHost: ${target.hosts.api}\r\nAuthorization: Bearer ${target.key}\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`
  const responses = Array.from({ length: SLOW_SENDERS }, async () => {
    const socket = connect({ host: '127.0.0.1', port: portOf(target, 'api'), noDelay: true })
    const response = Array.fromAsync(socket, (bytes: Buffer) => bytes.toString())
    for (const letter of head + body) {
      socket.write(letter)
      await pause(1)
    }
    return (await response).join('')
  })
  for (const response of await Promise.all(responses)) assert.match(response, /^HTTP\/1\.1 422 /)
}

/**
 * If a client half-closes its connection after sending a request, the storage still responds. The API may
 * close the connection instead, as Node does, but must not leave it open.
 */
export async function halfCloseConnections(target: Target): Promise<void> {
  const service = await sendAndEnd(target, 'api', '/api/v1/account')
  assert.match(service, /^(HTTP\/1\.1 200 |$)/)
  if (!target.hasStorage) return
  assert.match(await sendAndEnd(target, 'storage', '/objects/a?signature=b'), /^HTTP\/1\.1 403 /)
}

async function sendAndEnd(target: Target, port: 'api' | 'storage', path: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: portOf(target, port), allowHalfOpen: true })
  const host = `Host: ${target.hosts[port]}\r\n`
  socket.end(`GET ${path} HTTP/1.1\r\n${host}Authorization: Bearer ${target.key}\r\n\r\n`)
  const response = await Array.fromAsync(socket, (bytes: Buffer) => bytes.toString())
  return response.join('')
}

/** Event streams that are never read, from new and from old events, delay no other client. */
export async function ignoreStreams(target: Target, context: GeneratorContext): Promise<void> {
  const { baseUrl } = target.service
  const { key } = target
  const call = callerWith(baseUrl, key)
  const sockets: Socket[] = []
  try {
    for (let index = 0; index < UNREAD_STREAMS; index += 1) {
      const position = index % 2 === 0 ? {} : { lastEventId: '0' }
      // The first events may have been removed.
      const stream = await anUnreadStream(baseUrl, { key, ...position }).catch(() => undefined)
      sockets.push(stream ?? (await anUnreadStream(baseUrl, { key })))
    }
    for (let round = 1; round <= LARGE_CHANGES; round += 1) {
      const { status, text } = await call('PUT', '/api/v1/products', largeProducts(round))
      assert.equal(status, 200, text)
      const { probe } = await exchangePipelined(portOf(target, 'api'), [], aProbe(context, 'api'))
      assert.equal(probe, 'responded', `with ${UNREAD_STREAMS} streams that are never read`)
    }
  } finally {
    for (const socket of sockets) socket.destroy()
  }
}

/** What the endpoints of webhooks respond: a beginning, and text that they repeat without end. */
const ENDLESS_RESPONSES: [string, string][] = [
  ['', 'HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n'],
  ['', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['', '\r\n'],
  ['HTTP/1.1 200 OK\r\n', `X-Long: ${'x'.repeat(1_000)}\r\n`],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', `1;${'x'.repeat(9_000)}\r\nx\r\n`],
  ['HTTP/1.1 500 Error\r\nContent-Length: 99999999999\r\n\r\n', 'x'.repeat(1_000)],
]

/** Endpoints of webhooks respond without end, several at a time. Checks that each attempt ends, and others are served. */
export async function respondWithoutEnd(target: Target, context: GeneratorContext): Promise<void> {
  const call = callerWith(target.service.baseUrl, target.emptiedKey)
  const servers = await Promise.all(ENDLESS_RESPONSES.map(anEndlessServer))
  try {
    const created = await Promise.all(
      servers.map(({ url }) => call('POST', '/api/v1/webhooks', { url })),
    )
    const pings = created.map(({ status, body, text }) => {
      assert.equal(status, 201, text)
      return call('POST', `/api/v1/webhooks/${body.data.id}/ping`)
    })
    for (let count = 0; count < PROBES; count += 1) {
      const { probe } = await exchangePipelined(portOf(target, 'api'), [], aProbe(context, 'api'))
      assert.equal(probe, 'responded', 'while endpoints of webhooks respond without end')
    }
    for (const ping of await Promise.all(pings)) {
      assert.equal(ping.status, 200, ping.text)
      const [attempt] = ping.body.data.attempts
      assert.notEqual(ping.body.data.status, 'pending')
      assert.ok(attempt.duration_ms < 10_000, ping.text)
    }
    for (const { body } of created) await call('DELETE', `/api/v1/webhooks/${body.data.id}`)
  } finally {
    for (const { server } of servers) server.close()
  }
}

async function anEndlessServer([beginning, repeated]: [string, string]) {
  const chunk = repeated.repeat(Math.ceil(100_000 / repeated.length))
  const server = createServer((socket) => {
    const send = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('error', () => {}).on('drain', send)
    socket.once('data', () => {
      socket.write(beginning)
      send()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { server, url: `http://127.0.0.1:${port}` }
}

function portOf({ hosts }: Target, port: 'api' | 'storage'): number {
  return Number(hosts[port].split(':')[1])
}

async function countFiles({ service }: Target): Promise<number> {
  return process.platform === 'linux' ? (await readdir(`/proc/${service.pid}/fd`)).length : 0
}

/** The limit of this process, which the service inherits. */
function openFileLimit(): number {
  if (process.platform === 'win32') return MAX_CONNECTIONS
  const limit = execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
  return limit === 'unlimited' ? MAX_CONNECTIONS + SPARE_FILES : Number(limit)
}
