import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { CompletedPart, PartAddress, UploadSession } from '@stowage/protocol'
import { aRandom, type Random } from '@stowage/testing/machine/random'
import { callJson } from '@stowage/testing/service/service'
import {
  API,
  cancel,
  complete,
  putPart,
  requestSession,
  someBytes,
} from '@stowage/testing/service/upload'

/** How far an upload had come when the service died under it. */
export type Step = 'request' | 'parts' | 'complete' | 'cancel' | 'resume'

export interface SentFile {
  session: UploadSession
  bytes: Buffer
  sha256: string
  /** The parts whose PUT was answered. */
  answered: CompletedPart[]
}

/** What clients were told, and what they were in the middle of; kept over all rounds. */
export interface Diary {
  /** Every file whose session was answered, by asset. */
  files: Map<string, SentFile>
  completed: Set<string>
  cancelled: Set<string>
  abandoned: Set<string>
  interrupted: Record<Step, number>
}

export function anEmptyDiary(): Diary {
  return {
    files: new Map(),
    completed: new Set(),
    cancelled: new Set(),
    abandoned: new Set(),
    interrupted: { request: 0, parts: 0, complete: 0, cancel: 0, resume: 0 },
  }
}

interface Client {
  baseUrl: string
  pickSize: (random: Random) => number
  random: Random
  diary: Diary
  /** Whether the service may be dead by now; before that, a call that fails is a fault. */
  isOver: () => boolean
}

/**
 * Several clients that upload until they are stopped. `left` is what each of them was in the middle of
 * when the service died the last time.
 */
export function startClients(
  options: Omit<Client, 'isOver'> & { count: number; left: (SentFile | undefined)[] },
) {
  const { count, left, random, ...client } = options
  let isOver = false
  const clients = Array.from({ length: count }, (_, index) => {
    const own = { ...client, random: aRandom(random.between(0, 2 ** 32)), isOver: () => isOver }
    return keepUploading(own, left[index])
  })
  const ended = Promise.allSettled(clients)
  return {
    /** Ends the service, and returns what each client was in the middle of. */
    async stop(endService: () => Promise<unknown>): Promise<(SentFile | undefined)[]> {
      isOver = true
      await endService()
      await ended
      return Promise.all(clients)
    },
  }
}

/**
 * Uploads file after file until the service dies. `left` is what this client was in the middle of
 * when the service died the last time: it goes on with that first. Returns what it leaves now.
 */
export async function keepUploading(
  client: Client,
  left?: SentFile,
): Promise<SentFile | undefined> {
  let current = left
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
    }
    return undefined
  } catch (error) {
    // What fetch says when the connection could not be made, or broke in the middle of the answer.
    const isBroken = error instanceof TypeError && /fetch failed|terminated/.test(error.message)
    if (!client.isOver() || !isBroken) throw error
    client.diary.interrupted[step] += 1
    return current
  }
}

async function request({ baseUrl, pickSize, random, diary }: Client): Promise<SentFile> {
  const size = pickSize(random)
  const bytes = someBytes(size, random.between(1, 1_000_000))
  const session = await requestSession(baseUrl, { bytes })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = { session, bytes, sha256, answered: [] }
  diary.files.set(session.id, file)
  return file
}

async function send(client: Client, file: SentFile, at: (step: Step) => void): Promise<void> {
  const { baseUrl, random, diary } = client
  const { session } = file
  const end = random.pick(['complete', 'complete', 'complete', 'complete', 'cancel', 'abandon'])
  at('parts')
  // Who abandons an upload has often sent some of it.
  const urls = end === 'complete' ? session.urls : session.urls.slice(random.between(0, 2))
  await putAll(file, urls)
  if (end === 'complete') await completeFile(client, file, at)
  if (end === 'abandon') diary.abandoned.add(session.id)
  if (end !== 'cancel') return
  at('cancel')
  const answer = await cancel(baseUrl, session)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  diary.cancelled.add(session.id)
}

async function putAll(file: SentFile, urls: PartAddress[]): Promise<void> {
  const results = await Promise.allSettled(
    urls.map(async ({ part, start, end, url }) => {
      const response = await putPart(url, file.bytes.subarray(start, end))
      assert.equal(response.status, 200, await response.text())
      const etag = response.headers.get('etag') ?? ''
      file.answered.push({ PartNumber: part, ETag: etag.replaceAll('"', '') })
    }),
  )
  // Only once all have ended: what is answered after the first failure counts too.
  for (const result of results) if (result.status === 'rejected') throw result.reason
}

async function completeFile(
  { baseUrl, random, diary }: Client,
  { session, answered }: SentFile,
  at: (step: Step) => void,
): Promise<void> {
  at('complete')
  const answer = await complete(baseUrl, session, answered, random.pick(['POST', 'PUT']))
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  assert.equal(answer.body.data.status, 'ready')
  diary.completed.add(session.id)
}

/** Every part that was answered is still there; the others are sent again. */
async function resume(client: Client, file: SentFile, at: (step: Step) => void): Promise<void> {
  const url = `${client.baseUrl}${API}/assets/${file.session.id}/upload`
  const { status, body } = await callJson(url, { method: 'GET' })
  // It has expired, or the cancellation went through though nobody was left to be told.
  if (status === 404) return
  assert.equal(status, 200, JSON.stringify(body))
  if (body.status === 'uploading') {
    const received: CompletedPart[] = body.received
    const held = new Map(received.map(({ PartNumber, ETag }) => [PartNumber, ETag]))
    for (const { PartNumber, ETag } of file.answered) assert.equal(held.get(PartNumber), ETag)
    file.answered = received.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
    at('parts')
    await putAll(file, body.urls)
  }
  await completeFile(client, file, at)
}
