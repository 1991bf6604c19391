import assert from 'node:assert/strict'
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import http, { type IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream/promises'
import type { TestContext } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { presignGet } from '@stowage/server/src/storage/s3/presign'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { moveClock, moveDatabaseClock } from '@stowage/testing/machine/moved-clock'
import { freePort, listenOnFreePort } from '@stowage/testing/machine/ports'
import { aDeployment, aService, callJson, type TestService } from '@stowage/testing/service/service'
import { API, complete, putPart, someBytes } from '@stowage/testing/service/upload'

export const NAME = 'film.zip'
const BYTES = Number(process.env.LONG_BYTES ?? 40_000_000)
export const HOURS = 20
const CHUNK = 20_000_000
const HOUR_MS = 3_600_000

/** A file of an order with one download, in a service whose clock moves. */
export interface Sale {
  /** The download page. */
  page: string
  /** The URL of the download. */
  press(): Promise<string>
  /** Compares the file with the one that was sold. */
  checkFile(path: string): Promise<void>
  /** One download has counted, with so many starts; after 24 hours its URL has ended. */
  checkEnd(url: string, starts?: number): Promise<void>
  /** The `Range` and the status of the requests for bytes so far. */
  requests(): { range: string | undefined; status: number }[]
  /** From now on, responses are whole and the clock stops. */
  stopCutting(): void
}

/**
 * Each response with bytes of the file is cut after a range, and then the clock moves: that of the service, of the database, and
 * of the storage. `deliver`: see STOWAGE_DELIVER.
 */
export async function aSale(
  t: TestContext,
  ranges: number,
  deliver: 'redirect' | 'proxy' = 'redirect',
): Promise<Sale> {
  const isSent = deliver === 'proxy'
  const deployment = await aDeployment(t, { isReliable: true, isInMemory: true })
  const { STOWAGE_DATABASE: database, STOWAGE_S3_ENDPOINT: s3 } = deployment.settings
  const moveDatabase = await moveDatabaseClock(t, database)
  let extraMs = 0
  const shiftMs = () => extraMs + (cut.ranges() * HOURS * HOUR_MS) / ranges
  const onRange = () => moveDatabase(shiftMs())
  const bytes = Math.ceil(BYTES / ranges)
  const cut = createCut({ bytes, onRange })
  // The clock of the storage cannot be moved, so the proxy in front of it judges and signs requests again.
  const storage = isOnS3
    ? await aProxy(t, { target: s3 ?? '', rewrite: signAgain(s3 ?? ''), ...(!isSent && { cut }) })
    : await aProxy(t, { target: `http://127.0.0.1:${await freePort()}`, cut })
  const port = await freePort()
  const front = isSent ? await aProxy(t, { target: `http://127.0.0.1:${port}`, cut }) : undefined
  moveClock(t, shiftMs)
  const settings = {
    STOWAGE_CHUNK_SIZE: String(CHUNK),
    ...(isOnS3
      ? { STOWAGE_S3_ENDPOINT: storage.url, STOWAGE_DELIVER: deliver }
      : {
          STOWAGE_STORAGE_PORT: new URL(storage.target).port,
          STOWAGE_STORAGE_URL: storage.url,
        }),
    ...(front && { STOWAGE_PORT: String(port), STOWAGE_BASE_URL: front.url }),
  }
  const service = await aService(t, settings, deployment)
  const { id, hash } = await upload(service)
  const request = { assets: [id], max_downloads: 1 }
  const { body } = await service.call('POST', `${API}/orders`, request)
  const { id: order, url: page } = body.data
  const read = async (path: string) =>
    (await service.call('GET', `${API}/orders/${order}/${path}`)).body.data
  return {
    page,
    async press() {
      const pressed = await fetch(`${page}/${id}`, { method: 'POST', redirect: 'manual' })
      assert.equal(pressed.status, 303)
      return pressed.headers.get('location') ?? assert.fail()
    },
    async checkFile(path) {
      const actual = createHash('sha256')
      await pipeline(createReadStream(path), actual)
      await rm(path)
      assert.equal(actual.digest('hex'), hash.digest('hex'))
    },
    async checkEnd(url, expected = 1) {
      const [{ downloaded }] = await read('files')
      const [{ starts, counted }, ...others] = await read('downloads')
      assert.deepEqual([downloaded, starts, counted, others.length], [1, expected, 1, 0])
      extraMs += 24 * HOUR_MS
      await moveDatabase(shiftMs())
      const range = { headers: { Range: 'bytes=1-' }, redirect: 'manual' } as const
      assert.equal((await fetch(url, range)).status, 410)
      const again = await fetch(`${page}/${id}`, { method: 'POST', redirect: 'manual' })
      assert.equal(again.status, 409)
    },
    requests: cut.requests,
    stopCutting: cut.stop,
  }
}

async function upload({ baseUrl }: TestService): Promise<{ id: string; hash: Hash }> {
  const body = { name: NAME, size: BYTES, mime: 'application/zip' }
  const created = await callJson(`${baseUrl}${API}/assets/signed`, { method: 'POST', body })
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const session: UploadSession = created.body
  assert.equal(session.urls.at(-1)?.end, BYTES, 'every part has a URL')
  const hash = createHash('sha256')
  for (const { part, start, end, url } of session.urls) {
    const bytes = someBytes(end - start, part)
    hash.update(bytes)
    // Ceph may close an idle connection at the moment that it is used again.
    const put = () => putPart(url, bytes)
    assert.equal((await put().catch(put)).status, 200)
  }
  assert.equal((await complete(baseUrl, session)).status, 200)
  return { id: session.id, hash }
}

/** What cuts the responses that have bytes of the file. */
interface Cut {
  /** How many bytes of this response are forwarded; undefined: all. */
  limit(request: IncomingMessage, response: IncomingMessage): number | undefined
  /** Call it at the end of a response that `limit` has cut. */
  end(): Promise<void>
  /** Resolves when the clock has moved. */
  settled(): Promise<void>
  ranges(): number
  requests: Sale['requests']
  stop(): void
}

/** Pages and the responses of the API are smaller. */
const MIN_FILE = 100_000

function createCut({ bytes, onRange }: { bytes: number; onRange: () => Promise<void> }): Cut {
  let ranges = 0
  let isStopped = false
  let moving = Promise.resolve()
  const requests: ReturnType<Sale['requests']> = []
  return {
    limit({ method, headers: { range } }, { statusCode: status = 0, headers }) {
      const size = Number(
        /\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] ?? headers['content-length'],
      )
      const isFile = method === 'GET' && (status === 403 || size > MIN_FILE)
      if (isFile) requests.push({ range, status })
      return isFile && status < 300 && !isStopped ? bytes : undefined
    },
    async end() {
      if (!isStopped) ranges += 1
      moving = moving.then(onRange)
      await moving
    },
    settled: () => moving,
    ranges: () => ranges,
    requests: () => requests,
    stop() {
      isStopped = true
    },
  }
}

interface Forwarded {
  path: string
  headers: http.IncomingHttpHeaders
}

interface ProxyOptions {
  /** The URL of the server. */
  target: string
  /** Changes a request; undefined: it is refused, as S3 refuses a URL that has expired. */
  rewrite?: (request: IncomingMessage) => Forwarded | undefined
  cut?: Cut
}

/** An HTTP proxy that breaks the connection after some bytes of a download. */
async function aProxy(t: TestContext, { target, rewrite, cut }: ProxyOptions) {
  const agent = new http.Agent({ keepAlive: true })
  const { port } = new URL(target)
  const server = http.createServer(async (request, response) => {
    request.on('error', () => {})
    await cut?.settled()
    const { method, url = '', headers } = request
    const forwarded = rewrite === undefined ? { path: url, headers } : rewrite(request)
    if (forwarded === undefined) {
      const body = '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'
      cut?.limit(request, { statusCode: 403, headers: {} } as IncomingMessage)
      return response.writeHead(403, { 'Content-Type': 'application/xml' }).end(body)
    }
    const onward = http.request({ port, host: '127.0.0.1', method, agent, ...forwarded })
    onward.on('error', () => response.destroy())
    onward.on('response', (upstream: IncomingMessage) => {
      const limit = cut?.limit(request, upstream)
      response.writeHead(upstream.statusCode ?? 502, upstream.headers)
      let left = limit ?? Number.POSITIVE_INFINITY
      upstream.on('data', (chunk: Buffer) => {
        if (left === 0) return
        const some = chunk.subarray(0, left)
        left -= some.length
        // An orderly end before the announced length.
        const isFlowing = response.write(some, () => left === 0 && response.socket?.end())
        if (isFlowing) return
        upstream.pause()
        response.once('drain', () => upstream.resume())
      })
      upstream.on('end', () => left > 0 && response.end())
      upstream.on('error', () => response.destroy())
      if (limit !== undefined) response.on('close', () => cut?.end())
    })
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  const ownPort = await listenOnFreePort(server)
  cleanUp(t, () => {
    agent.destroy()
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${ownPort}`, target }
}

/**
 * S3 judges signed URLs by its own clock, which does not move. Requests for objects are judged by the clock of this process, and
 * signed again by the real one.
 */
function signAgain(endpoint: string): (request: IncomingMessage) => Forwarded | undefined {
  const realNow = Date
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env
  const credentials = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY }
  return ({ method, url = '', headers }) => {
    const { pathname, searchParams: query } = new URL(url, endpoint)
    const isObject = pathname.split('/').length > 3 && !query.has('uploadId')
    if (method !== 'GET' || !isObject) return { path: url, headers }
    const signedAt = query.get('X-Amz-Date')
    if (signedAt !== null && endOf(signedAt, query) < Date.now()) return undefined
    const disposition = query.get('response-content-disposition') ?? 'attachment'
    const type = query.get('response-content-type') ?? 'application/zip'
    const signing = { credentials, region: 'us-east-1', now: new realNow(), expiresInSeconds: 60 }
    const signed = presignGet({ origin: endpoint, path: pathname }, signing, { disposition, type })
    const { range, 'if-range': ifRange, 'if-match': ifMatch } = headers
    const kept = { range, 'if-range': ifRange, 'if-match': ifMatch }
    const given = Object.entries(kept).filter(([, value]) => value !== undefined)
    return {
      path: signed.slice(endpoint.length),
      headers: { ...Object.fromEntries(given), host: new URL(endpoint).host },
    }
  }
}

function endOf(signedAt: string, query: URLSearchParams): number {
  const time = signedAt.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z')
  return Date.parse(time) + Number(query.get('X-Amz-Expires')) * 1000
}
