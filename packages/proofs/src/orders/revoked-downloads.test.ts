import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isOnS3 } from '@stowage/testing/engines/test-engines'
import { moveClock } from '@stowage/testing/machine/moved-clock'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+ceph. */

/*
 * The clock of S3 cannot be moved. To wait for five minutes instead:
 *
 *     REAL_MINUTES=true TEST_TIMEOUT_MS=3600000 npx node packages/testing/src/stages/on-engines.ts postgres+ceph \
 *       packages/proofs/src/orders/revoked-downloads.test.ts
 */
const WAITS = process.env.REAL_MINUTES === 'true'
const MINUTES_MS = 5 * 60_000

test('after an order is revoked, no byte of its file can be requested for longer than five minutes', async (t) => {
  let shiftMs = 0
  moveClock(t, () => shiftMs)
  const service = await aService(t)
  const bytes = someBytes(5000)
  const { id } = await uploadFile(service.baseUrl, { bytes })
  const { body } = await service.call('POST', `${API}/orders`, { assets: [id], max_downloads: 1 })
  const { id: order, url: page } = body.data
  const pressed = await fetch(`${page}/${id}`, { method: 'POST', redirect: 'manual' })
  const url = pressed.headers.get('location') ?? assert.fail()
  const statusOf = async (target: string, range: string) => {
    const response = await fetch(target, { headers: { Range: range }, redirect: 'manual' })
    const location = response.headers.get('location') ?? ''
    await response.arrayBuffer()
    return { status: response.status, location }
  }
  assert.equal((await statusOf(url, 'bytes=0-')).status, 302)
  // The last moment before the order is revoked.
  const { location: signed } = await statusOf(url, 'bytes=100-')
  const signedAt = Date.now()
  assert.equal((await service.call('DELETE', `${API}/orders/${order}`)).status, 200)
  for (const range of ['bytes=0-', 'bytes=100-', 'bytes=-1']) {
    assert.equal((await statusOf(url, range)).status, 410, range)
  }
  assert.equal((await fetch(`${page}/${id}`, { method: 'POST' })).status, 410)
  const left = endOf(signed) - signedAt
  assert.ok(left > MINUTES_MS - 60_000 && left <= MINUTES_MS, `${left} ms`)
  assert.equal((await statusOf(signed, 'bytes=100-')).status, 206)
  if (isOnS3 && !WAITS) return
  const waitMs = Math.max(0, endOf(signed) - Date.now())
  if (WAITS) await pause(waitMs - 10_000)
  else shiftMs = waitMs - 10_000
  assert.equal((await statusOf(signed, 'bytes=100-')).status, 206, 'within the five minutes')
  if (WAITS) await pause(11_000)
  else shiftMs = waitMs + 1000
  for (const range of ['bytes=0-', 'bytes=100-', 'bytes=-1']) {
    const { status } = await statusOf(signed, range)
    assert.ok([403, 410].includes(status), `${range}: ${status}`)
  }
})

/** When a signed URL of either storage ends. */
function endOf(signed: string): number {
  const { searchParams: query } = new URL(signed)
  const expires = query.get('expires')
  if (expires !== null) return Number(expires) * 1000
  const [, ...parts] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(query.get('X-Amz-Date') ?? '') ?? []
  const [year = 0, month = 0, ...rest] = parts.map(Number)
  return Date.UTC(year, month - 1, ...rest) + Number(query.get('X-Amz-Expires')) * 1000
}
