import assert from 'node:assert/strict'
import type { CompletedPart, UploadSession } from '@stowage/protocol'
import { aRandom, type Random } from '@stowage/testing/machine/random'
import { callJson } from '@stowage/testing/service/service'
import { API, complete, putPart, requestSession, someBytes } from '@stowage/testing/service/upload'

/** The upload of one race, the two contents that were sent, and the responses. */
export interface RaceResult {
  session: UploadSession
  contents: [Buffer, Buffer]
  /** The number of responses by call and status, such as `complete 200`. */
  responses: Map<string, number>
}

const SIZE = 15
const COMPLETIONS = 8
const RESUMPTIONS = 2

/**
 * Sends an upload of two parts, then replaces the first part during concurrent completions and resumptions. Completions
 * send the ETags of one of the two contents, or none. In the end one more completion must succeed, as when a refused
 * client retries.
 */
export async function raceReplacedPart(baseUrl: string, seed: number): Promise<RaceResult> {
  const random = aRandom(seed)
  const contents: RaceResult['contents'] = [
    someBytes(SIZE, 2 * seed + 1),
    someBytes(SIZE, 2 * seed + 2),
  ]
  const session = await requestSession(baseUrl, { bytes: contents[0] })
  const responses = new Map<string, number>()
  const count = (call: string, status: number) => {
    const name = `${call} ${status}`
    responses.set(name, (responses.get(name) ?? 0) + 1)
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
    await delay(baseUrl, random, 2)
    const response = await complete(baseUrl, session, lists[index % 4])
    count('complete', response.status)
  }
  const resume = async () => {
    await delay(baseUrl, random, 3)
    const response = await callJson(`${baseUrl}${API}/assets/${session.id}/upload`, {
      method: 'GET',
    })
    count('resume', response.status)
  }
  await Promise.all([
    replace(),
    ...Array.from({ length: COMPLETIONS }, (_, index) => completeOnce(index)),
    ...Array.from({ length: RESUMPTIONS }, resume),
  ])
  const last = await complete(baseUrl, session)
  assert.equal(last.status, 200, `${session.id}: ${JSON.stringify(last.body)}`)
  return { session, contents, responses }
}

/** Delays by the duration of a few requests, so that the order of the calls varies. */
async function delay(baseUrl: string, random: Random, limit: number): Promise<void> {
  for (let left = random.between(0, limit); left > 0; left -= 1) {
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
