import { aRandom } from '@stowage/testing/machine/random'
import {
  aProbe,
  type Exchange,
  exchangeMalformed,
  exchangePipelined,
  type WireResponse,
} from './exchange.ts'
import { emptyPool, type GeneratorContext, type Pool } from './generator-context.ts'
import { makeApiRequest } from './make-api-request.ts'
import { makeFlowRequest } from './make-flow-request.ts'
import { makePageRequest } from './make-page-request.ts'
import { makeStorageRequest } from './make-storage-request.ts'
import { makeMalformedRequest } from './malformed.ts'
import { emptyResponseLog, type ResponseLog, recordResponse } from './record-response.ts'
import {
  describe,
  type FramedRequest,
  type HostileRequest,
  type MalformedRequest,
  type Port,
  render,
} from './request.ts'
import {
  checkMalformed,
  checkPipeline,
  checkResponse,
  type Operations,
  type Violation,
} from './rules.ts'
import { readLiveMemory, type Target } from './target.ts'

const CONNECTIONS = 8
const PIPELINED = 16
const MALFORMED = 14
/** The memory in use is measured at these fractions of the run. */
const MEASURED_AT = [0.1, 0.5, 1]
/** A shorter timeout for repeating a request that hung. */
const REPEATED_HANG_MS = 3_000
/** Minimizing a failure ends after this time, even if the request could be smaller. */
const MINIMIZE_MS = 45_000

export interface HostileRun {
  sent: number
  /** The memory in use during the run and at its end, in bytes. */
  live: number[]
  log: ResponseLog
  pool: Pool
}

interface Failure extends Violation {
  request: HostileRequest | undefined
  /** All requests on the connection, including `request`. Empty if the request is malformed. */
  pipeline: HostileRequest[]
}

/** Sends `count` requests, or fewer if `withinMs` passes first. Throws at the first response that violates a rule. */
export async function runHostile(
  target: Target,
  { seed, count, withinMs }: { seed: number; count: number; withinMs: number },
): Promise<HostileRun> {
  const end = performance.now() + withinMs
  const context: GeneratorContext = {
    random: aRandom(seed),
    pool: poolOf(target),
    ...target,
    partsInFlight: new Set(),
  }
  const operations: Operations = new Map(target.operations.map((one) => [one.name, one]))
  const log = emptyResponseLog()
  for (const { assetId } of target.orders) log.ready.add(assetId)
  const live: number[] = []
  let sent = 0
  while (sent < count && performance.now() < end) {
    context.partsInFlight.clear()
    const batches = Array.from({ length: CONNECTIONS }, () => makeBatch(context, target.hasStorage))
    const malformed = Array.from({ length: MALFORMED }, () =>
      makeMalformedRequest(context, pickPort(context, target)),
    )
    const outcomes = await Promise.all([
      ...batches.map((batch) => sendBatch(context, operations, batch)),
      ...malformed.map((request) => sendMalformed(context, operations, request)),
    ])
    const failure = outcomes.find((one) => one.failure !== undefined)?.failure
    if (failure !== undefined) throw await explain(context, operations, { seed, sent, failure })
    for (const { completed } of outcomes) {
      for (const { request, response } of completed)
        recordResponse(context.pool, log, request, response)
      sent += completed.length
    }
    target.checkAlive()
    const next = MEASURED_AT[live.length]
    if (next !== undefined && sent >= next * count) live.push(await readLiveMemory(target))
  }
  if (live.length < MEASURED_AT.length) live.push(await readLiveMemory(target))
  return { sent, live, log, pool: context.pool }
}

function poolOf({ orders, bulk, mails, ...target }: Target): Pool {
  return {
    ...emptyPool(),
    orders: orders.map(({ id }) => id),
    orderTokens: orders.map(({ token }) => token),
    uploadTokens: [...target.uploadTokens],
    products: [...target.products],
    bulk,
    mails,
  }
}

function pickPort({ random }: GeneratorContext, { hasStorage }: Target): Port {
  return hasStorage && random.between(0, 3) === 0 ? 'storage' : 'api'
}

/**
 * All requests go to the same port. Only the last request may have an `Expect` header: the service closes the
 * connection when it refuses such a request, because the client may or may not send the body.
 */
function makeBatch(context: GeneratorContext, hasStorage: boolean): FramedRequest[] {
  const { random } = context
  const isStorage = hasStorage && random.between(0, 3) === 0
  return Array.from({ length: PIPELINED }, (_, index) => {
    const step = hasStorage && random.between(0, 4) === 0 ? makeFlowRequest(context) : undefined
    if (step?.port === (isStorage ? 'storage' : 'api')) return step
    const request = isStorage ? makeStorageRequest(context) : makeServiceRequest(context)
    if (index === PIPELINED - 1) return withSmallHead(request)
    const headers = request.headers.filter(([name]) => name !== 'Expect')
    return withSmallHead({ ...request, headers })
  })
}

function makeServiceRequest(context: GeneratorContext): FramedRequest {
  const isPage = context.random.between(0, 10) === 0
  return isPage ? makePageRequest(context) : makeApiRequest(context)
}

/** Node refuses heads above 16 KiB and closes the connection. Malformed requests test that. */
const MAX_HEAD_SIZE = 15_000

function withSmallHead(request: FramedRequest): FramedRequest {
  if (render({ ...request, body: Buffer.alloc(0) }).length < MAX_HEAD_SIZE) return request
  const headers = request.headers.filter(([, value]) => value.length < 1_000)
  return { ...request, headers, target: request.target.slice(0, MAX_HEAD_SIZE / 2) }
}

interface Outcome {
  completed: { request: HostileRequest; response: WireResponse }[]
  failure?: Failure
}

async function sendBatch(
  context: GeneratorContext,
  operations: Operations,
  batch: FramedRequest[],
  hangMs?: number,
): Promise<Outcome> {
  const port = batch[0]?.port ?? 'api'
  const exchange = await exchangePipelined(
    portOf(context, port),
    batch,
    aProbe(context, port),
    hangMs,
  )
  const completed = exchange.responses.flatMap((response, index) => {
    const request = batch[index]
    return request ? [{ request, response }] : []
  })
  for (const { request, response } of completed) {
    const violation = checkResponse(operations, request, response)
    if (violation) return { completed, failure: { ...violation, request, pipeline: batch } }
  }
  if (await wasDeletedDuringDownload(context, batch, exchange)) return { completed }
  const violation = checkPipeline(batch, exchange)
  return violation
    ? { completed, failure: { ...violation, request: undefined, pipeline: batch } }
    : { completed }
}

async function sendMalformed(
  context: GeneratorContext,
  operations: Operations,
  request: MalformedRequest,
): Promise<Outcome> {
  const exchange = await exchangeMalformed(
    portOf(context, request.port),
    request,
    aProbe(context, request.port),
  )
  const completed = exchange.responses.slice(0, 1).map((response) => ({ request, response }))
  const violation =
    checkMalformed(request, exchange) ??
    completed.map(({ response }) => checkResponse(operations, request, response)).find((one) => one)
  return violation ? { completed, failure: { ...violation, request, pipeline: [] } } : { completed }
}

function portOf({ hosts }: GeneratorContext, port: Port): number {
  return Number(hosts[port].split(':')[1])
}

/** An error with the rule, the smallest request that violates it, and how to reproduce it. */
async function explain(
  context: GeneratorContext,
  operations: Operations,
  { seed, sent, failure }: { seed: number; sent: number; failure: Failure },
): Promise<Error> {
  const { rule, detail, request, pipeline } = failure
  const end = performance.now() + MINIMIZE_MS
  const violatesRule = async (...batch: FramedRequest[]) =>
    performance.now() < end &&
    (await sendBatch(context, operations, batch, REPEATED_HANG_MS)).failure?.rule === rule
  const shown = await smallest(request ? [request] : pipeline, violatesRule)
  const text = shown.map(describe).join('\n\n')
  return new Error(`${rule}: ${detail}\nafter ${sent} requests with HOSTILE_SEED=${seed}\n${text}`)
}

/** The smallest subset of these requests that still violates the rule. A single request is minimized as well. */
async function smallest(
  requests: HostileRequest[],
  violatesRule: (...batch: FramedRequest[]) => Promise<boolean>,
): Promise<HostileRequest[]> {
  let batch = requests.filter((one) => one.kind === 'framed')
  if (batch.length < requests.length || !(await violatesRule(...batch))) return requests
  for (let length = Math.floor(batch.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < batch.length && batch.length > 1; ) {
      const others = batch.toSpliced(at, length)
      if (others.length > 0 && (await violatesRule(...others))) batch = others
      else at += length
    }
  }
  const [only] = batch
  return batch.length === 1 && only ? [await minimize(only, violatesRule)] : batch
}

const MAX_ATTEMPTS = 150

/** A smaller request that still fails, without the headers, parameters and bytes that do not matter. */
async function minimize(
  request: FramedRequest,
  fails: (request: FramedRequest) => Promise<boolean>,
): Promise<FramedRequest> {
  let smallest = request
  let attempts = 0
  async function attempt(candidate: FramedRequest): Promise<boolean> {
    attempts += 1
    if (attempts > MAX_ATTEMPTS || !(await fails(candidate))) return false
    smallest = candidate
    return true
  }
  for (const header of request.headers) {
    if (/^(host|content-length|transfer-encoding)$/i.test(header[0])) continue
    await attempt({ ...smallest, headers: smallest.headers.filter((one) => one !== header) })
  }
  const [path = '', query = ''] = request.target.split(/\?(.*)/s)
  const pairs = query.split('&')
  for (const pair of pairs.length < 20 ? pairs : []) {
    const others = smallest.target
      .slice(path.length + 1)
      .split('&')
      .filter((one) => one !== pair)
    await attempt({ ...smallest, target: others.length > 0 ? `${path}?${others.join('&')}` : path })
  }
  for (
    let length = Math.ceil(smallest.body.length / 2);
    length >= 1;
    length = Math.floor(length / 2)
  ) {
    for (let at = 0; at < smallest.body.length && attempts < MAX_ATTEMPTS; ) {
      const { body } = smallest
      const shorter = Buffer.concat([body.subarray(0, at), body.subarray(at + length)])
      if (!(await attempt(withBody(smallest, shorter)))) at += length
    }
  }
  return smallest
}

function withBody(request: FramedRequest, body: Buffer): FramedRequest {
  const others = request.headers.filter(
    ([name]) => !/^(content-length|transfer-encoding)$/i.test(name),
  )
  return { ...request, headers: [...others, ['Content-Length', String(body.length)]], body }
}

/**
 * Whether the connection was closed within a download because the file was deleted: the rest of the
 * response can't be sent, and the client must notice.
 */
async function wasDeletedDuringDownload(
  { hosts, key }: GeneratorContext,
  batch: FramedRequest[],
  { failure, responses }: Exchange,
): Promise<boolean> {
  const request = batch[responses.length]
  if (!failure?.includes('incomplete response: "HTTP/1.1 20') || request?.port !== 'storage')
    return false
  const id = /^\/objects\/([0-9a-f-]{36})\?/.exec(request.target)?.[1]
  if (id === undefined) return false
  const headers = { Authorization: `Bearer ${key}` }
  const { status } = await fetch(`http://${hosts.api}/api/v1/assets/${id}`, { headers })
  return status === 404
}
