import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Asset, CompletedPart, PartUrl, UploadSession } from '@stowage/protocol'
import type { AssetStatus } from '@stowage/server/src/domain/asset'
import type { Context } from '@stowage/server/src/operations/context'
import { aRandom, type Random } from '@stowage/testing/machine/random'
import { runJobs, withClockAhead, withoutRetention } from '@stowage/testing/service/jobs'
import { callJson, type TestService } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  complete,
  download,
  putPart,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'

/** The step that a client had reached when the service was killed. */
export type Step = 'request' | 'parts' | 'complete' | 'cancel' | 'resume' | 'use'

export interface SentFile {
  session: UploadSession
  /** Empty once the upload has ended: a long run must not hold every file in memory. */
  bytes: Buffer
  sha256: string
  /** The parts whose PUT was confirmed. */
  acknowledged: CompletedPart[]
}

/** The changes that the service confirmed, and the steps that kills interrupted, over all rounds. */
export interface UploadLog {
  /** Every file whose upload session the client received, by asset ID. */
  files: Map<string, SentFile>
  completed: Set<string>
  cancelled: Set<string>
  abandoned: Set<string>
  /** Completed files that no client has asked to delete yet, oldest first. */
  kept: string[]
  /** Files whose deletion was requested, and those whose deletion was confirmed. */
  deleting: Set<string>
  deleted: Set<string>
  interrupted: Record<Step, number>
}

export function anEmptyUploadLog(): UploadLog {
  return {
    files: new Map(),
    completed: new Set(),
    cancelled: new Set(),
    abandoned: new Set(),
    kept: [],
    deleting: new Set(),
    deleted: new Set(),
    interrupted: { request: 0, parts: 0, complete: 0, cancel: 0, resume: 0, use: 0 },
  }
}

const NO_BYTES = Buffer.alloc(0)

interface Client {
  baseUrl: string
  pickSize: (random: Random) => number
  random: Random
  uploadLog: UploadLog
  /** When there are more files than this, the client downloads the oldest one and deletes it. */
  maxKept?: number
  /** Whether the service may have been killed. As long as it returns false, a failed call fails the test. */
  isOver: () => boolean
}

/**
 * Several clients that upload until they are stopped. `interruptedFiles` has the unfinished upload of each
 * client from the last time that the service was killed.
 */
export function startClients(
  options: Omit<Client, 'isOver'> & { count: number; interruptedFiles: (SentFile | undefined)[] },
) {
  const { count, interruptedFiles, random, ...client } = options
  let isOver = false
  const clients = Array.from({ length: count }, (_, index) => {
    const own = { ...client, random: aRandom(random.between(0, 2 ** 32)), isOver: () => isOver }
    return keepUploading(own, interruptedFiles[index])
  })
  const ended = Promise.allSettled(clients)
  return {
    /** Ends the service and returns the unfinished upload of each client. */
    async stop(endService: () => Promise<unknown>): Promise<(SentFile | undefined)[]> {
      isOver = true
      await endService()
      await ended
      return Promise.all(clients)
    },
  }
}

/**
 * Uploads one file after another until the service is killed, and returns the upload that the kill interrupts. First
 * resumes `interruptedFile`, the upload that the previous kill interrupted.
 */
async function keepUploading(
  client: Client,
  interruptedFile?: SentFile,
): Promise<SentFile | undefined> {
  let current = interruptedFile
  let step: Step = 'resume'
  const at = (next: Step) => {
    step = next
  }
  try {
    if (current !== undefined) await unlessExpired(client, current, resume(client, current, at))
    while (!client.isOver()) {
      current = undefined
      at('request')
      current = await request(client)
      await unlessExpired(client, current, send(client, current, at))
      current = undefined
      await useOldest(client, at)
    }
    return undefined
  } catch (error) {
    // fetch throws these when it cannot connect, or when the connection breaks during the response.
    const isBroken = error instanceof TypeError && /fetch failed|terminated/.test(error.message)
    if (!client.isOver() || !isBroken) throw error
    client.uploadLog.interrupted[step] += 1
    return current
  }
}

/** On a slow machine, a URL may expire before its part is sent. Then the upload is left to expire. */
async function unlessExpired(
  { uploadLog }: Client,
  file: SentFile,
  sending: Promise<void>,
): Promise<void> {
  try {
    await sending
  } catch (error) {
    if (!(error instanceof UrlExpired)) throw error
    uploadLog.abandoned.add(file.session.id)
    file.bytes = NO_BYTES
  }
}

class UrlExpired extends Error {}

async function request({ baseUrl, pickSize, random, uploadLog }: Client): Promise<SentFile> {
  const size = pickSize(random)
  const bytes = someBytes(size, random.between(1, 1_000_000))
  const session = await requestSession(baseUrl, { bytes })
  const file = { session, bytes, sha256: sha256Of(bytes), acknowledged: [] }
  uploadLog.files.set(session.id, file)
  return file
}

async function send(client: Client, file: SentFile, at: (step: Step) => void): Promise<void> {
  const { baseUrl, random, uploadLog } = client
  const { session } = file
  const end = random.pick(['complete', 'complete', 'cancel', 'abandon'])
  at('parts')
  // A client that abandons or cancels an upload may have sent some of its parts.
  const urls = end === 'complete' ? session.urls : session.urls.slice(random.between(0, 2))
  await putAll(file, urls)
  if (end === 'complete') await completeFile(client, file, at)
  if (end === 'abandon') {
    uploadLog.abandoned.add(session.id)
    file.bytes = NO_BYTES
  }
  if (end !== 'cancel') return
  at('cancel')
  const response = await cancel(baseUrl, session)
  assert.equal(response.status, 200, JSON.stringify(response.body))
  uploadLog.cancelled.add(session.id)
  file.bytes = NO_BYTES
}

async function useOldest(
  { baseUrl, uploadLog, maxKept = Number.POSITIVE_INFINITY }: Client,
  at: (step: Step) => void,
): Promise<void> {
  if (uploadLog.kept.length <= maxKept) return
  const id = uploadLog.kept.shift() ?? ''
  at('use')
  const bytes = await download(baseUrl, id)
  assert.equal(sha256Of(bytes), uploadLog.files.get(id)?.sha256, id)
  uploadLog.deleting.add(id)
  const { status, body } = await callJson(`${baseUrl}${API}/assets/${id}?permanent=true`, {
    method: 'DELETE',
  })
  assert.equal(status, 202, JSON.stringify(body))
  uploadLog.deleted.add(id)
}

function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function putAll(file: SentFile, urls: PartUrl[]): Promise<void> {
  const results = await Promise.allSettled(
    urls.map(async ({ part, start, end, url }) => {
      const response = await putPart(url, file.bytes.subarray(start, end))
      const text = await response.text()
      if (response.status === 403 && text.includes('"url_expired"')) throw new UrlExpired(text)
      assert.equal(response.status, 200, text)
      const etag = response.headers.get('etag') ?? ''
      file.acknowledged.push({ PartNumber: part, ETag: etag.replaceAll('"', '') })
    }),
  )
  // Wait for all of them: parts that are confirmed after the first failure count too.
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function completeFile(
  { baseUrl, random, uploadLog }: Client,
  file: SentFile,
  at: (step: Step) => void,
): Promise<void> {
  const { session, acknowledged } = file
  at('complete')
  const response = await complete(baseUrl, session, acknowledged, random.pick(['POST', 'PUT']))
  assert.equal(response.status, 200, JSON.stringify(response.body))
  assert.equal(response.body.data.status, 'ready')
  uploadLog.completed.add(session.id)
  uploadLog.kept.push(session.id)
  file.bytes = NO_BYTES
}

/** Checks that every confirmed part is still stored, sends the other parts and completes the upload. */
async function resume(client: Client, file: SentFile, at: (step: Step) => void): Promise<void> {
  const url = `${client.baseUrl}${API}/assets/${file.session.id}/upload`
  const { status, body } = await callJson(url, { method: 'GET' })
  // The upload has expired, or was cancelled although the client did not get the response.
  if (status === 404) return
  assert.equal(status, 200, JSON.stringify(body))
  if (body.status === 'uploading') {
    const received: CompletedPart[] = body.received
    const held = new Map(received.map(({ PartNumber, ETag }) => [PartNumber, ETag]))
    for (const { PartNumber, ETag } of file.acknowledged) assert.equal(held.get(PartNumber), ETag)
    file.acknowledged = received.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    at('parts')
    await putAll(file, body.urls)
  }
  await completeFile(client, file, at)
}

const FINAL_STATUSES: (AssetStatus | undefined)[] = ['cancelled', 'expired', 'ready', 'deleted']

/**
 * Call this after the expiry of every upload has passed. Runs the jobs. Afterward each upload must be ready, cancelled,
 * expired or deleted, and no object may be waiting to be removed. The context must be that of `takeOverJobs`: the
 * service's own jobs would renew uploads that received a part recently.
 */
export async function settleAll(context: Context, uploadLog: UploadLog): Promise<void> {
  const { database } = context
  const later = withClockAhead(context, 1)
  // A completion that lacks parts is reopened as an upload, which expires in the next run.
  for (let run = 0; run < 3; run += 1) await runJobs(withoutRetention(later), { stuckMs: 0 })
  const states = await database.readStates([...uploadLog.files.keys()])
  assert.equal(states.size, uploadLog.files.size)
  for (const [id, { status }] of states) {
    assert.ok(FINAL_STATUSES.includes(status), `${id} is ${status}`)
  }
  assert.deepEqual(await database.listRemovals(10), [])
}

/** Every file that was confirmed as completed exists; none that was confirmed as cancelled or deleted does. */
export async function checkResponses(
  service: TestService,
  uploadLog: UploadLog,
  assets: Asset[],
): Promise<void> {
  const listed = new Set(assets.map(({ id }) => id))
  assert.equal(listed.size, assets.length)
  // A deletion that was not confirmed may have taken effect or not.
  const mustBeListed = uploadLog.completed.difference(uploadLog.deleting)
  assert.deepEqual([...mustBeListed.difference(listed)], [], 'these were confirmed as completed')
  for (const id of mustBeListed) {
    const { status, body } = await service.call('GET', `${API}/assets/${id}`)
    assert.deepEqual([status, body.data?.status], [200, 'ready'], id)
  }
  for (const id of uploadLog.cancelled) {
    const { status } = await service.call('GET', `${API}/assets/${id}`)
    assert.equal(status, 404, `${id} was confirmed as cancelled`)
  }
  const undeleted = uploadLog.deleted.intersection(listed)
  assert.deepEqual([...undeleted], [], 'these were confirmed as deleted')
}

/** Every file has the bytes that its client sent. */
export async function checkContents(
  service: TestService,
  uploadLog: UploadLog,
  assets: Asset[],
): Promise<void> {
  for (const asset of assets) {
    const bytes = await download(service.baseUrl, asset.id)
    assert.equal(bytes.length, asset.bytes)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    assert.equal(sha256, uploadLog.files.get(asset.id)?.sha256, asset.id)
  }
}

/** The usage counters match the totals of the assets. */
export async function checkUsage({ context }: TestService, assets: Asset[]): Promise<void> {
  const [usage, ...others] = await context.database.compareUsage()
  assert.deepEqual(others, [])
  const stored = assets.reduce((sum, asset) => sum + asset.bytes, 0)
  assert.partialDeepStrictEqual(usage?.actual, { stored, reserved: 0, assets: assets.length })
  assert.deepEqual(usage?.counted, usage?.actual)
}
