import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { CompletedPart, PartUrl, UploadSession } from '@stowage/protocol'
import { aRandom, type Random } from '@stowage/testing/machine/random'
import { callJson } from '@stowage/testing/service/service'
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
export async function keepUploading(
  client: Client,
  interruptedFile?: SentFile,
): Promise<SentFile | undefined> {
  let current = interruptedFile
  let step: Step = 'resume'
  const at = (next: Step) => {
    step = next
  }
  try {
    if (current !== undefined) await resume(client, current, at)
    while (!client.isOver()) {
      current = undefined
      at('request')
      current = await request(client)
      await send(client, current, at)
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
      assert.equal(response.status, 200, await response.text())
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
