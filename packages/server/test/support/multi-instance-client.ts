import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Asset, CompletedPart, PartAddress, UploadSession } from '@stowage/protocol'
import { type Answer, callJson } from '@stowage/testing/service/service'
import { API, callUrl, cancel, complete, putPart, someBytes } from '@stowage/testing/service/upload'
import { type Insistence, insist } from './retry-until-answered.ts'
import { CHUNK } from './shared-engines.ts'

/** What clients were told. Every id is of an asset. */
export interface Ledger {
  /** The SHA-256 of every file whose session was answered. */
  files: Map<string, string>
  completed: Set<string>
  /** Of those that were completed. */
  deleted: Set<string>
  cancelled: Set<string>
  abandoned: Set<string>
}

export function anEmptyLedger(): Ledger {
  return {
    files: new Map(),
    completed: new Set(),
    deleted: new Set(),
    cancelled: new Set(),
    abandoned: new Set(),
  }
}

/** A client that asks any of the instances, and another one when that does not answer. */
export interface RoamingClient extends Insistence {
  /** Begins its idempotency keys. */
  name: string
  ledger: Ledger
  /** Whether the file it is at is the last one. */
  isOver: () => boolean
}

/** Every file is a piece of it. */
const BYTES = someBytes(4 * CHUNK)

/** Uploads file after file, each to its end, and checks every answer. */
export async function keepRoaming(client: RoamingClient): Promise<void> {
  for (let count = 1; !client.isOver(); count += 1) {
    await uploadOne(client, `${client.name}-${count}.bin`)
  }
}

async function uploadOne(client: RoamingClient, name: string): Promise<void> {
  const { random, ledger } = client
  const bytes = someFile(client)
  const session = await request(client, { name, size: bytes.length })
  const { id } = session
  ledger.files.set(id, createHash('sha256').update(bytes).digest('hex'))
  const end = random.pick(['keep', 'keep', 'keep', 'keep', 'delete', 'cancel', 'cancel', 'abandon'])
  if (end === 'abandon') {
    ledger.abandoned.add(id)
    return
  }
  const parts = await sendParts(client, session, bytes)
  if (end === 'cancel') {
    await insist(client, { step: 'cancel', wants: 200, at: (url) => cancel(url, session) })
    ledger.cancelled.add(id)
    return assertGone(client, id)
  }
  const { body } = await insist(client, {
    step: 'complete',
    wants: 200,
    at: (url) => complete(url, session, random.pick([parts, []])),
  })
  assert.equal(body.data.status, 'ready')
  ledger.completed.add(id)
  await assertSeen(client, { id, name })
  if (end === 'delete') await remove(client, id)
}

/** Most are small; some have two or three parts. */
function someFile({ random }: RoamingClient): Buffer {
  const isLarge = random.between(0, 25) === 0
  const size = isLarge ? random.between(CHUNK + 1, 3 * CHUNK) : random.between(1, 100_000)
  const start = random.between(0, BYTES.length - size)
  return BYTES.subarray(start, start + size)
}

async function request(
  client: RoamingClient,
  { name, size }: { name: string; size: number },
): Promise<UploadSession> {
  const headers = { 'Idempotency-Key': name }
  const { body } = await insist(client, {
    step: 'request',
    wants: 201,
    at: (url) =>
      callJson(`${url}${API}/assets/signed`, { method: 'POST', headers, body: { name, size } }),
  })
  return body
}

/** At once, or the first part only and the others after asking what is missing. */
async function sendParts(
  client: RoamingClient,
  { id, urls }: UploadSession,
  bytes: Buffer,
): Promise<CompletedPart[]> {
  if (client.random.between(0, 3) > 0) return putAll(client, urls, bytes)
  const sent = await putAll(client, urls.slice(0, 1), bytes)
  const { body } = await insist(client, {
    step: 'resume',
    wants: 200,
    at: (url) => callUrl(`${url}${API}/assets/${id}/upload`),
  })
  const received: CompletedPart[] = body.received
  assert.deepEqual(
    received.map(({ PartNumber, ETag }) => ({ PartNumber, ETag })),
    sent,
  )
  return [...sent, ...(await putAll(client, body.urls, bytes))]
}

function putAll(
  client: RoamingClient,
  urls: PartAddress[],
  bytes: Buffer,
): Promise<CompletedPart[]> {
  return Promise.all(
    urls.map(async ({ part, start, end, url }) => {
      const at = async (): Promise<Answer> => {
        const response = await putPart(url, bytes.subarray(start, end))
        return { status: response.status, headers: response.headers, body: await response.text() }
      }
      const { headers } = await insist(client, { step: 'part', wants: 200, at })
      return { PartNumber: part, ETag: (headers.get('etag') ?? '').replaceAll('"', '') }
    }),
  )
}

/** Wherever it is asked for next. */
async function assertSeen(
  client: RoamingClient,
  { id, name }: { id: string; name: string },
): Promise<void> {
  const shown = await insist(client, {
    step: 'show',
    wants: 200,
    at: (url) => callUrl(`${url}${API}/assets/${id}`),
  })
  assert.equal(shown.body.data.status, 'ready')
  const list = await insist(client, {
    step: 'list',
    wants: 200,
    at: (url) => callUrl(`${url}${API}/assets?filename=${name}`),
  })
  assert.deepEqual(
    list.body.data.map((asset: Asset) => asset.id),
    [id],
  )
}

async function remove(client: RoamingClient, id: string): Promise<void> {
  await insist(client, {
    step: 'delete',
    wants: 202,
    wantsAgain: 404,
    at: (url) => callJson(`${url}${API}/assets/${id}`, { method: 'DELETE' }),
  })
  client.ledger.deleted.add(id)
  await assertGone(client, id)
}

async function assertGone(client: RoamingClient, id: string): Promise<void> {
  const at = (url: string) => callUrl(`${url}${API}/assets/${id}`)
  await insist(client, { step: 'show', wants: 404, at })
}
