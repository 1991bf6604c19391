import assert from 'node:assert/strict'
import type { CompletedPart, UploadSession } from '@stowage/protocol'
import { aRandom, type Random } from '@stowage/testing/machine/random'
import { callJson } from '@stowage/testing/service/service'
import { API, complete, putPart, requestSession, someBytes } from '@stowage/testing/service/upload'

/** A part has one of two contents, and completions name the ETags of the one, the other or none. */
export interface Raced {
  session: UploadSession
  contents: [Buffer, Buffer]
  /** How often each status answered, by the kind of call: `complete 200`. */
  answers: Map<string, number>
}

const SIZE = 15
const COMPLETIONS = 8
const RESUMPTIONS = 2

/**
 * Sends an upload of two parts, then replaces the first part while completions and resumptions
 * race. A client that was refused completes again once everything was answered, as clients do.
 */
export async function raceReplacedPart(baseUrl: string, seed: number): Promise<Raced> {
  const random = aRandom(seed)
  const contents: Raced['contents'] = [someBytes(SIZE, 2 * seed + 1), someBytes(SIZE, 2 * seed + 2)]
  const session = await requestSession(baseUrl, { bytes: contents[0] })
  const answers = new Map<string, number>()
  const count = (call: string, status: number) => {
    const name = `${call} ${status}`
    answers.set(name, (answers.get(name) ?? 0) + 1)
  }
  const lists = [await putAll(session, contents[1]), await putAll(session, contents[0])]

  const replace = async () => {
    for (const bytes of [contents[1], contents[0], contents[1]]) {
      const { start = 0, end = 0, url = '' } = session.urls[0] ?? {}
      const response = await putPart(url, bytes.subarray(start, end))
      await response.arrayBuffer()
      count('put', response.status)
    }
  }
  const completeOnce = async (index: number) => {
    await turns(baseUrl, random, 2)
    const answer = await complete(baseUrl, session, lists[index % 4])
    count('complete', answer.status)
  }
  const resume = async () => {
    await turns(baseUrl, random, 3)
    const answer = await callJson(`${baseUrl}${API}/assets/${session.id}/upload`, { method: 'GET' })
    count('resume', answer.status)
  }
  await Promise.all([
    replace(),
    ...Array.from({ length: COMPLETIONS }, (_, index) => completeOnce(index)),
    ...Array.from({ length: RESUMPTIONS }, resume),
  ])
  const last = await complete(baseUrl, session)
  assert.equal(last.status, 200, `${session.id}: ${JSON.stringify(last.body)}`)
  return { session, contents, answers }
}

async function turns(baseUrl: string, random: Random, most: number): Promise<void> {
  for (let turn = random.between(0, most); turn > 0; turn -= 1) {
    await callJson(`${baseUrl}/healthz`, { method: 'GET' })
  }
}

async function putAll(session: UploadSession, bytes: Buffer): Promise<CompletedPart[]> {
  return Promise.all(
    session.urls.map(async ({ part, start, end, url }) => {
      const response = await putPart(url, bytes.subarray(start, end))
      assert.equal(response.status, 200, await response.text())
      return { PartNumber: part, ETag: response.headers.get('etag') ?? '' }
    }),
  )
}
