import { aRandom } from '@stowage/testing/machine/random'
import type { WireAnswer } from './answers.ts'
import { wasDeletedDuringDownload } from './deleted-during-download.ts'
import { deliverBroken, deliverPipelined } from './deliver.ts'
import { emptyLedger, type Ledger, learn } from './learn.ts'
import { readLiveMemory } from './live-memory.ts'
import { makeApiRequest } from './make-api-request.ts'
import { makeBrokenRequest } from './make-broken-request.ts'
import { makeFlowRequest } from './make-flow-request.ts'
import { makeStorageRequest } from './make-storage-request.ts'
import type { Maker } from './maker.ts'
import { minimize } from './minimize.ts'
import { emptyPool, type Pool } from './pool.ts'
import { aProbe } from './probe.ts'
import {
  type BrokenRequest,
  describe,
  type FramedRequest,
  type HostileRequest,
  type Port,
  render,
} from './request.ts'
import {
  checkAnswer,
  checkBroken,
  checkPipeline,
  type Operations,
  type Violation,
} from './rules.ts'
import type { Target } from './target.ts'

const CONNECTIONS = 8
const PIPELINED = 16
const BROKEN = 14
/** When the memory in use is measured, as parts of the run. */
const MEASURED = [0.1, 0.5, 1]
/** A hang is known by now: what still hangs when it is sent again is not waited for as long. */
const HANG_AGAIN_MS = 3_000
/** A failure is reported in this time, with a larger request if need be. */
const EXPLAIN_MS = 45_000

export interface HostileRun {
  sent: number
  /** The memory in use during the run and at its end, in bytes. */
  live: number[]
  ledger: Ledger
  pool: Pool
}

interface Failure extends Violation {
  request: HostileRequest | undefined
  /** What was sent on the same connection. */
  others: HostileRequest[]
}

/** Sends so many requests, and fails at the first answer that breaks a rule. */
export async function runHostile(
  target: Target,
  { seed, count, withinMs }: { seed: number; count: number; withinMs: number },
): Promise<HostileRun> {
  const end = performance.now() + withinMs
  const maker: Maker = {
    random: aRandom(seed),
    pool: emptyPool(),
    ...target,
    partsUnderWay: new Set(),
  }
  const operations: Operations = new Map(target.operations.map((one) => [one.name, one]))
  const ledger = emptyLedger()
  const live: number[] = []
  let sent = 0
  while (sent < count && performance.now() < end) {
    maker.partsUnderWay.clear()
    const batches = Array.from({ length: CONNECTIONS }, () => makeBatch(maker, target.hasStorage))
    const broken = Array.from({ length: BROKEN }, () =>
      makeBrokenRequest(maker, pickPort(maker, target)),
    )
    const outcomes = await Promise.all([
      ...batches.map((batch) => sendBatch(maker, operations, batch)),
      ...broken.map((request) => sendBroken(maker, operations, request)),
    ])
    const failure = outcomes.find((one) => one.failure !== undefined)?.failure
    if (failure !== undefined) throw await explain(maker, operations, { seed, sent, failure })
    for (const { answered } of outcomes) {
      for (const { request, answer } of answered) learn(maker.pool, ledger, request, answer)
      sent += answered.length
    }
    target.checkAlive()
    const next = MEASURED[live.length]
    if (next !== undefined && sent >= next * count) live.push(await readLiveMemory(target))
  }
  if (live.length < MEASURED.length) live.push(await readLiveMemory(target))
  return { sent, live, ledger, pool: maker.pool }
}

function pickPort({ random }: Maker, { hasStorage }: Target): Port {
  return hasStorage && random.between(0, 3) === 0 ? 'storage' : 'api'
}

/**
 * All to the same port. Only the last one may expect `100 Continue`: a service that refuses it without
 * one closes the connection, as the body may follow or not.
 */
function makeBatch(maker: Maker, hasStorage: boolean): FramedRequest[] {
  const { random } = maker
  const isStorage = hasStorage && random.between(0, 3) === 0
  return Array.from({ length: PIPELINED }, (_, index) => {
    const step = hasStorage && random.between(0, 4) === 0 ? makeFlowRequest(maker) : undefined
    if (step?.port === (isStorage ? 'storage' : 'api')) return step
    const request = isStorage ? makeStorageRequest(maker) : makeApiRequest(maker)
    if (index === PIPELINED - 1) return within(request)
    const headers = request.headers.filter(([name]) => name !== 'Expect')
    return within({ ...request, headers })
  })
}

/** Node refuses larger heads, and closes the connection. Broken requests try that. */
const LARGEST_HEAD = 15_000

function within(request: FramedRequest): FramedRequest {
  if (render({ ...request, body: Buffer.alloc(0) }).length < LARGEST_HEAD) return request
  const headers = request.headers.filter(([, value]) => value.length < 1_000)
  return { ...request, headers, target: request.target.slice(0, LARGEST_HEAD / 2) }
}

interface Outcome {
  answered: { request: HostileRequest; answer: WireAnswer }[]
  failure?: Failure
}

async function sendBatch(
  maker: Maker,
  operations: Operations,
  batch: FramedRequest[],
  hangMs?: number,
): Promise<Outcome> {
  const port = batch[0]?.port ?? 'api'
  const delivery = await deliverPipelined(portOf(maker, port), batch, aProbe(maker, port), hangMs)
  const answered = delivery.answers.flatMap((answer, index) => {
    const request = batch[index]
    return request ? [{ request, answer }] : []
  })
  for (const { request, answer } of answered) {
    const violation = checkAnswer(operations, request, answer)
    if (violation) return { answered, failure: { ...violation, request, others: batch } }
  }
  if (await wasDeletedDuringDownload(maker, batch, delivery)) return { answered }
  const violation = checkPipeline(batch, delivery)
  return violation
    ? { answered, failure: { ...violation, request: undefined, others: batch } }
    : { answered }
}

async function sendBroken(
  maker: Maker,
  operations: Operations,
  request: BrokenRequest,
): Promise<Outcome> {
  const delivery = await deliverBroken(
    portOf(maker, request.port),
    request,
    aProbe(maker, request.port),
  )
  const answered = delivery.answers.slice(0, 1).map((answer) => ({ request, answer }))
  const violation =
    checkBroken(request, delivery) ??
    answered.map(({ answer }) => checkAnswer(operations, request, answer)).find((one) => one)
  return violation ? { answered, failure: { ...violation, request, others: [] } } : { answered }
}

function portOf({ hosts }: Maker, port: Port): number {
  return Number(hosts[port].split(':')[1])
}

/** The error that a person reads: the rule, the smallest request that breaks it, and how to repeat it. */
async function explain(
  maker: Maker,
  operations: Operations,
  { seed, sent, failure }: { seed: number; sent: number; failure: Failure },
): Promise<Error> {
  const { rule, detail, request, others } = failure
  const end = performance.now() + EXPLAIN_MS
  const breaksRule = async (...batch: FramedRequest[]) =>
    performance.now() < end &&
    (await sendBatch(maker, operations, batch, HANG_AGAIN_MS)).failure?.rule === rule
  const shown = await smallest(request ? [request] : others, breaksRule)
  const text = shown.map(describe).join('\n\n')
  return new Error(`${rule}: ${detail}\nafter ${sent} requests with HOSTILE_SEED=${seed}\n${text}`)
}

/** The fewest of these requests, each as small as possible, that still break the rule in this order. */
async function smallest(
  requests: HostileRequest[],
  breaksRule: (...batch: FramedRequest[]) => Promise<boolean>,
): Promise<HostileRequest[]> {
  let batch = requests.filter((one) => one.kind === 'framed')
  if (batch.length < requests.length || !(await breaksRule(...batch))) return requests
  for (let length = Math.floor(batch.length / 2); length >= 1; length = Math.floor(length / 2)) {
    for (let at = 0; at < batch.length && batch.length > 1; ) {
      const others = batch.toSpliced(at, length)
      if (others.length > 0 && (await breaksRule(...others))) batch = others
      else at += length
    }
  }
  const [only] = batch
  return batch.length === 1 && only ? [await minimize(only, breaksRule)] : batch
}
