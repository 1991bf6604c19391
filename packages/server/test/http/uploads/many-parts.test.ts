import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import { aService } from '@stowage/testing/service/service'
import { API, putPart, requestSession, someBytes } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

const PARTS = 3000

/** Fails unless each part that is not received has a unique URL, in order. Each part has one byte. */
function assertWhole({ urls }: UploadSession, received: number[] = []): void {
  const numbers = Array.from({ length: PARTS }, (_, index) => index + 1)
  const expected = numbers.filter((number) => !received.includes(number))
  assert.deepEqual(
    urls.map(({ part, start, end }) => [part, start, end]),
    expected.map((number) => [number, number - 1, number]),
  )
  assert.equal(new Set(urls.map(({ url }) => url)).size, urls.length)
}

test('a session with thousands of parts is returned completely, even when it is resumed', async (t) => {
  const service = await aService(t, { STOWAGE_CHUNK_SIZE: '1' })
  const session = await requestSession(service.baseUrl, { bytes: someBytes(PARTS) })
  assertWhole(session)
  const last = session.urls.at(-1)
  assert.equal((await putPart(last?.url ?? '', someBytes(1))).status, 200)
  const { status, headers, body } = await service.call('GET', `${API}/assets/${session.id}/upload`)
  assert.equal(status, 200)
  assert.match(headers.get('content-type') ?? '', /^application\/json/)
  assertWhole(body, [PARTS])
  assert.deepEqual(
    body.received.map(({ PartNumber }: { PartNumber: number }) => PartNumber),
    [PARTS],
  )
  assert.equal(body.upload_id, session.upload_id)
})
