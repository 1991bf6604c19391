import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Asset, CompletedPart, PartUrl, UploadSession } from '@stowage/protocol'
import type { Random } from '@stowage/testing/machine/random'
import { callJson, type JsonResponse } from '@stowage/testing/service/service'
import { API, callUrl, cancel, complete, putPart, someBytes } from '@stowage/testing/service/upload'
import { CHUNK } from './shared-engines.ts'

/** The outcomes that the service confirmed to its clients. Every ID is that of an asset. */
export interface Outcomes {
  /** The SHA-256 of every file whose upload session the client received. */
  files: Map<string, string>
  completed: Set<string>
  /** A subset of `completed`. */
  deleted: Set<string>
  cancelled: Set<string>
  abandoned: Set<string>
}

export function noOutcomes(): Outcomes {
  return {
    files: new Map(),
    completed: new Set(),
    deleted: new Set(),
    cancelled: new Set(),
    abandoned: new Set(),
  }
}

/** A client that sends each request, and each retry, to a random instance. */
interface MultiInstanceClient extends RetryOptions {
  /** The prefix of its idempotency keys. */
  name: string
  outcomes: Outcomes
  /** Whether the current file is the last one. */
  isOver: () => boolean
}

/** Every file is a slice of these bytes. */
const BYTES = someBytes(4 * CHUNK)

/** Uploads one file after another and checks every response. */
export async function uploadUntilOver(client: MultiInstanceClient): Promise<void> {
  for (let count = 1; !client.isOver(); count += 1) {
    await uploadOne(client, `${client.name}-${count}.bin`)
  }
}

async function uploadOne(client: MultiInstanceClient, name: string): Promise<void> {
  const { random, outcomes } = client
  const bytes = someFile(client)
  const session = await request(client, { name, size: bytes.length })
  const { id } = session
  outcomes.files.set(id, createHash('sha256').update(bytes).digest('hex'))
  const end = random.pick(['keep', 'keep', 'keep', 'keep', 'delete', 'cancel', 'cancel', 'abandon'])
  if (end === 'abandon') {
    outcomes.abandoned.add(id)
    return
  }
  const parts = await sendParts(client, session, bytes)
  if (end === 'cancel') {
    await retryUntilResponse(client, {
      step: 'cancel',
      expected: 200,
      send: (url) => cancel(url, session),
    })
    outcomes.cancelled.add(id)
    return assertGone(client, id)
  }
  const { body } = await retryUntilResponse(client, {
    step: 'complete',
    expected: 200,
    send: (url) => complete(url, session, random.pick([parts, []])),
  })
  assert.equal(body.data.status, 'ready')
  outcomes.completed.add(id)
  await assertSeen(client, { id, name })
  if (end === 'delete') await remove(client, id)
}

/** Most are small; some have two or three parts. */
function someFile({ random }: MultiInstanceClient): Buffer {
  const isLarge = random.between(0, 25) === 0
  const size = isLarge ? random.between(CHUNK + 1, 3 * CHUNK) : random.between(1, 100_000)
  const start = random.between(0, BYTES.length - size)
  return BYTES.subarray(start, start + size)
}

async function request(
  client: MultiInstanceClient,
  { name, size }: { name: string; size: number },
): Promise<UploadSession> {
  const headers = { 'Idempotency-Key': name }
  const { body } = await retryUntilResponse(client, {
    step: 'request',
    expected: 201,
    send: (url) =>
      callJson(`${url}${API}/assets/signed`, { method: 'POST', headers, body: { name, size } }),
  })
  return body
}

/** Sends all parts, or sends the first part and resumes the upload to send the missing ones. */
async function sendParts(
  client: MultiInstanceClient,
  { id, urls }: UploadSession,
  bytes: Buffer,
): Promise<CompletedPart[]> {
  if (client.random.between(0, 3) > 0) return putAll(client, urls, bytes)
  const sent = await putAll(client, urls.slice(0, 1), bytes)
  const { body } = await retryUntilResponse(client, {
    step: 'resume',
    expected: 200,
    send: (url) => callUrl(`${url}${API}/assets/${id}/upload`),
  })
  const received: CompletedPart[] = body.received
  assert.deepEqual(
    received.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })),
    sent,
  )
  return [...sent, ...(await putAll(client, body.urls, bytes))]
}

function putAll(
  client: MultiInstanceClient,
  urls: PartUrl[],
  bytes: Buffer,
): Promise<CompletedPart[]> {
  return Promise.all(
    urls.map(async ({ part, start, end, url }) => {
      const send = async (): Promise<JsonResponse> => {
        const response = await putPart(url, bytes.subarray(start, end))
        return { status: response.status, headers: response.headers, body: await response.text() }
      }
      const { headers } = await retryUntilResponse(client, { step: 'part', expected: 200, send })
      return { PartNumber: part, ETag: (headers.get('etag') ?? '').replaceAll('"', '') }
    }),
  )
}

/** Checks that the asset can be read and listed. Each request goes to a random instance. */
async function assertSeen(
  client: MultiInstanceClient,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const shown = await retryUntilResponse(client, {
    step: 'show',
    expected: 200,
    send: (url) => callUrl(`${url}${API}/assets/${id}`),
  })
  assert.equal(shown.body.data.status, 'ready')
  const list = await retryUntilResponse(client, {
    step: 'list',
    expected: 200,
    send: (url) => callUrl(`${url}${API}/assets?filename=${name}`),
  })
  assert.deepEqual(
    list.body.data.map((asset: Asset) => asset.id),
    [id],
  )
}

async function remove(client: MultiInstanceClient, id: string): Promise<void> {
  await retryUntilResponse(client, {
    step: 'delete',
    expected: 202,
    expectedOnRetry: 404,
    send: (url) => callJson(`${url}${API}/assets/${id}?permanent=true`, { method: 'DELETE' }),
  })
  client.outcomes.deleted.add(id)
  await assertGone(client, id)
}

async function assertGone(client: MultiInstanceClient, id: string): Promise<void> {
  const send = (url: string) => callUrl(`${url}${API}/assets/${id}`)
  await retryUntilResponse(client, { step: 'show', expected: 404, send })
}

/** The kind of request. Parts go directly to the storage, all others to the service. */
export type Step =
  | 'request'
  | 'part'
  | 'resume'
  | 'complete'
  | 'cancel'
  | 'delete'
  | 'show'
  | 'list'

/** One request and its outcome. */
export interface Attempt {
  step: Step
  /** The instance that was chosen. A part is not sent to it, but to the storage. */
  baseUrl: string
  startedAt: number
  /** Undefined while the request is in progress. */
  endedAt?: number
  /** Undefined when the connection failed. */
  status?: number
  code?: string
  retryAfter?: string | null
  /** Why the connection failed. */
  failure?: string
}

export interface RetryOptions {
  /** The base URLs of the instances. Some may have been stopped. */
  baseUrls: () => readonly [string, ...string[]]
  random: Random
  /** Every attempt is added here when it starts. */
  attempts: Attempt[]
}

interface Call {
  step: Step
  expected: number
  /** A status that is also correct when the response to an earlier attempt was lost. */
  expectedOnRetry?: number
  send(baseUrl: string): Promise<JsonResponse>
}

/** Longer than any outage in the tests. */
const RETRY_FOR_MS = 60_000
const PAUSE_MS = 100

/**
 * Sends the request to a random instance until one responds. Retries after a connection failure and
 * after 503, as the documentation requires of clients. Any other unexpected status fails the test.
 */
export async function retryUntilResponse(options: RetryOptions, call: Call): Promise<JsonResponse> {
  const begin = performance.now()
  for (let isRetry = false; ; isRetry = true) {
    const response = await attempt(options, call)
    const expected = isRetry ? [call.expected, call.expectedOnRetry] : [call.expected]
    if (response !== undefined && expected.includes(response.status)) return response
    assert.ok(response === undefined || response.status === 503, describe(call, response))
    assert.ok(performance.now() - begin < RETRY_FOR_MS, `no ${call.step} in ${RETRY_FOR_MS} ms`)
    // The interval between two attempts; it waits for no particular event.
    await pause(PAUSE_MS)
  }
}

async function attempt(options: RetryOptions, call: Call): Promise<JsonResponse | undefined> {
  const baseUrl = options.random.pick(options.baseUrls())
  const attempted: Attempt = { step: call.step, baseUrl, startedAt: performance.now() }
  options.attempts.push(attempted)
  try {
    const response = await call.send(baseUrl)
    attempted.status = response.status
    attempted.code = response.body?.code
    attempted.retryAfter = response.headers.get('retry-after')
    return response
  } catch (error) {
    // fetch throws these when it cannot connect, or when the connection breaks during the response.
    const isBroken = error instanceof TypeError && /fetch failed|terminated/.test(error.message)
    if (!isBroken) throw error
    attempted.failure = String(error.cause)
    return undefined
  } finally {
    attempted.endedAt = performance.now()
  }
}

function describe({ step }: Call, response: JsonResponse | undefined): string {
  return `${step}: ${response?.status} ${JSON.stringify(response?.body)}`
}
