import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isStowageError, type NodeClientOptions } from '@stowage/client/node'
import { download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aProxiedService } from './support/proxied-service.ts'

const CHUNK = 50_000
const PARTS = 8
const BYTES = someBytes(PARTS * CHUNK)
const PASS: Fault = { kind: 'pass' }

interface UploadSetup {
  settings?: Record<string, string>
  /** The faults of matching requests: a list for the first ones, or a function for all of them. */
  faults?: { of(request: IncomingMessage): boolean; list: Fault[] | (() => Fault) }
  client?: Partial<NodeClientOptions>
}

const isPut = ({ method }: IncomingMessage) => method === 'PUT'
const isTo = (end: string) => (request: IncomingMessage) => request.url?.endsWith(end) === true

/** Uploads the file with these faults, and records the requests. */
async function uploadWith(t: TestContext, { settings, faults, client: options }: UploadSetup) {
  const requests: string[] = []
  const list = faults?.list ?? []
  const next = typeof list === 'function' ? list : () => list.shift()
  const decide = (request: IncomingMessage): Fault => {
    requests.push(`${request.method} ${request.url?.split('/').at(-1)?.split('?')[0]}`)
    return (faults?.of(request) ? next() : undefined) ?? PASS
  }
  const service = await aProxiedService(t, {
    settings: { STOWAGE_CHUNK_SIZE: String(CHUNK), ...settings },
    api: decide,
    storage: decide,
  })
  const { client, folder } = await aClient(t, { baseUrl: service.api.url, ...options })
  const path = join(folder, 'file.bin')
  await writeFile(path, BYTES)
  const problems = new Set<string>()
  const upload = client.upload(path, {
    onProgress: ({ problem }) => isStowageError(problem) && problems.add(problem.code),
  })
  const count = (kind: RegExp) => requests.filter((request) => kind.test(request)).length
  return { ...service, client, upload, problems, requests, count }
}

async function assertStored(uploading: Awaited<ReturnType<typeof uploadWith>>): Promise<void> {
  const { id } = await uploading.upload
  assert.ok((await download(uploading.baseUrl, id)).equals(BYTES))
  assert.equal((await uploading.client.assets().page()).meta.total, 1)
}

test('timeouts before the first response of the service do not end an upload', async (t) => {
  const list = Array.from({ length: 7 }, (): Fault => ({ kind: 'hang' }))
  const faults = { of: isTo('/signed'), list }
  const uploading = await uploadWith(t, { faults, client: { timeoutMs: 300 } })
  await assertStored(uploading)
  assert.ok(uploading.problems.has('timeout'))
})

test('a part whose response was lost is not sent again', async (t) => {
  const faults = { of: isPut, list: [{ kind: 'lose' }, { kind: 'lose' }] as Fault[] }
  const uploading = await uploadWith(t, { faults })
  await assertStored(uploading)
  assert.equal(uploading.count(/^PUT/), PARTS)
})

test('a stalled part is aborted and sent again', async (t) => {
  const faults = { of: isPut, list: [{ kind: 'stall' }] as Fault[] }
  const uploading = await uploadWith(t, { faults, client: { stallMs: 300 } })
  await assertStored(uploading)
  assert.ok(uploading.problems.has('timeout'))
})

test('a retry waits as long as Retry-After asks for', async (t) => {
  const refusal: Fault = { kind: 'refuse', status: 503, headers: { 'Retry-After': '2' } }
  const faults = { of: isTo('/uploaded'), list: [refusal] }
  const start = performance.now()
  const uploading = await uploadWith(t, { faults })
  await assertStored(uploading)
  assert.ok(performance.now() - start >= 2000)
})

test('a session whose response was lost is not created twice', async (t) => {
  const faults = { of: isTo('/signed'), list: [{ kind: 'lose' }, { kind: 'hang' }] as Fault[] }
  // The proxy closes hanging connections, so no `timeoutMs` is needed, which could also abort a slow response.
  const uploading = await uploadWith(t, { faults })
  await assertStored(uploading)
  assert.equal(uploading.count(/^POST signed/), 3)
  assert.equal((await uploading.client.account()).reserved, 0)
})

test('completing is repeated if its response was lost', async (t) => {
  const faults = { of: isTo('/uploaded'), list: [{ kind: 'lose' }] as Fault[] }
  const uploading = await uploadWith(t, { faults })
  await assertStored(uploading)
  assert.equal(uploading.count(/^POST uploaded/), 2)
})

const EXPIRED = [
  JSON.stringify({ message: 'The URL has expired.', code: 'url_expired' }),
  '<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
  '',
]

for (const [index, body] of EXPIRED.entries()) {
  test(`refused URLs are signed again, whatever the error response (${index + 1})`, async (t) => {
    const list: Fault[] = Array(4).fill({ kind: 'refuse', status: 403, body })
    const uploading = await uploadWith(t, { faults: { of: isPut, list } })
    await assertStored(uploading)
    const renewals = uploading.count(/^GET upload/)
    assert.ok(renewals >= 1 && renewals <= 4, `${renewals} renewals`)
  })
}

test('a part is sent again after the storage reports RequestTimeout', async (t) => {
  const body = '<Error><Code>RequestTimeout</Code></Error>'
  const list: Fault[] = Array(3).fill({ kind: 'refuse', status: 400, body })
  await assertStored(await uploadWith(t, { faults: { of: isPut, list } }))
})

test('storage that keeps refusing parts ends the upload with its error code', async (t) => {
  const body = '<Error><Code>SignatureDoesNotMatch</Code></Error>'
  const list = (): Fault => ({ kind: 'refuse', status: 403, body })
  const { upload } = await uploadWith(t, { faults: { of: isPut, list } })
  await assert.rejects(upload, { name: 'StowageError', code: 'SignatureDoesNotMatch', status: 403 })
})

test('URLs that are about to expire are signed again before they are used', async (t) => {
  const LIFE_MS = 3_600_000
  let isLate = false
  const uploading = await uploadWith(t, {
    settings: { STOWAGE_SIGNED_FOR: `${LIFE_MS / 1000}s` },
    faults: {
      of: isPut,
      list() {
        // The clock of this process jumps forward, so that the URLs have almost expired.
        if (!isLate) t.mock.timers.enable({ apis: ['Date'], now: Date.now() + LIFE_MS * 0.85 })
        isLate = true
        return PASS
      },
    },
    client: { parallel: 1 },
  })
  await assertStored(uploading)
  const sent = uploading.requests.filter((request) => /^PUT|^GET upload/.test(request))
  assert.deepEqual(
    sent.map((request) => request.split(' ')[0]),
    ['PUT', 'GET', ...Array(PARTS - 1).fill('PUT')],
  )
})

test('an upload that takes longer than the lifetime of its URLs succeeds', async (t) => {
  const wait = () => new Promise((resolve) => setTimeout(resolve, 1000))
  const uploading = await uploadWith(t, {
    settings: { STOWAGE_SIGNED_FOR: '4s' },
    faults: { of: isPut, list: () => ({ kind: 'wait', until: wait() }) },
    client: { parallel: 1 },
  })
  await assertStored(uploading)
  assert.ok(uploading.count(/^GET upload/) >= 1)
})

test('an upload succeeds even if ETags cannot be read', async (t) => {
  const list: Fault[] = Array(PARTS).fill({ kind: 'spoil', status: 200 })
  const uploading = await uploadWith(t, { faults: { of: isPut, list } })
  await assertStored(uploading)
  assert.equal(uploading.count(/^PUT/), PARTS)
})

test('parts that never reached the storage despite a 200 response are sent again at the end', async (t) => {
  const list: Fault[] = Array(3).fill({
    kind: 'refuse',
    status: 200,
    body: '<html>Welcome!</html>',
  })
  const uploading = await uploadWith(t, { faults: { of: isPut, list } })
  await assertStored(uploading)
  assert.equal(uploading.count(/^PUT/), PARTS + 3)
})

test('an upload without success for too long fails, and can be resumed later', async (t) => {
  const { client, upload } = await uploadWith(t, {
    faults: { of: isPut, list: () => ({ kind: 'cut' }) },
    client: { retry: { firstMs: 1, longestMs: 5, giveUpAfterMs: 0 } },
  })
  await assert.rejects(upload, (error) => isStowageError(error, 'network'))
  const unfinished = await client.unfinished()
  assert.equal(unfinished[0]?.id, upload.id)
})

test('if the disk of the storage is full, an upload fails without retries, before the first byte or at any part', async (t) => {
  const body = JSON.stringify({ message: 'The storage is full.', code: 'storage_full' })
  const full: Fault = { kind: 'refuse', status: 507, body }
  for (const refused of [isTo('/signed'), isPut]) {
    const { upload, count } = await uploadWith(t, {
      faults: { of: refused, list: () => full },
      client: { parallel: 1 },
    })
    await assert.rejects(upload, (error) => isStowageError(error, 'storage_full'))
    assert.equal(count(/^PUT/), refused === isPut ? 1 : 0)
    assert.equal(count(/^POST signed/), 1)
  }
})

test('an upload that exceeds the plan is refused with the needed and available bytes', async (t) => {
  const { upload } = await uploadWith(t, { settings: { STOWAGE_PLAN_STORAGE: '100KB' } })
  await assert.rejects(upload, (error) => {
    assert.ok(isStowageError(error, 'storage_exceeded'))
    assert.equal(error.status, 402)
    assert.equal(error.facts.needed, BYTES.length)
    assert.equal(error.facts.available, 100_000)
    return true
  })
})
