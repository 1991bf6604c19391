import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { GivenSession, SessionBackend, UploadSession } from '@stowage/client/node'
import { ADMIN_KEY, aKeyedService, callerWith } from '@stowage/testing/service/accounts'
import { API, putPart, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'

const BYTES = new Uint8Array(someBytes(25))
const FILE = new File([BYTES], 'a.bin')

interface BackendCall {
  name: string
  upload_id: string
}

/** A service, and a backend that requested a session for the file. */
async function aBackend(t: TestContext) {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const call = callerWith(service.baseUrl, ADMIN_KEY)
  const { body } = await call('POST', `${API}/assets/signed`, { name: 'given', size: BYTES.length })
  const session: UploadSession = body
  const asset = `${API}/assets/${session.id}`
  const calls: BackendCall[] = []
  const relay = async (
    name: string,
    upload_id: string,
    ...request: Parameters<typeof call>
  ): Promise<Response> => {
    calls.push({ name, upload_id })
    const { status, text } = await call(...request)
    return new Response(text, { status })
  }
  const backend: SessionBackend = {
    complete: ({ upload_id, parts }) =>
      relay('complete', upload_id, 'POST', `${asset}/uploaded`, { upload_id, parts }),
    renew: ({ upload_id }) =>
      relay('renew', upload_id, 'GET', `${asset}/upload?upload_id=${upload_id}`),
    cancel: ({ upload_id }) => relay('cancel', upload_id, 'POST', `${asset}/cancel`, { upload_id }),
  }
  const page = await aClient(t, { baseUrl: service.baseUrl, retry: { firstMs: 1, tries: 3 } })
  return { service, call, session, asset, backend, calls, client: page.client }
}

const namesOf = (calls: BackendCall[]) => calls.map(({ name }) => name)

test('a page without a key sends the parts of a session, which its backend has requested and completes', async (t) => {
  const { client, session, backend, calls, call } = await aBackend(t)
  const upload = client.upload(FILE, { session, backend })
  const asset = await upload
  assert.deepEqual([asset.id, asset.filename, asset.status], [session.id, 'given', 'ready'])
  assert.deepEqual(calls, [{ name: 'complete', upload_id: session.upload_id }])
  assert.equal((await call('GET', `${API}/assets/${asset.id}`)).body.data.bytes, 25)
  assert.deepEqual(await client.unfinished(), [])
  // With the same session again, no part is missing.
  assert.equal((await client.upload(FILE, { session, backend })).id, asset.id)
})

test('a session with received parts continues with the missing ones', async (t) => {
  const { client, session, asset, backend, call } = await aBackend(t)
  const [first] = session.urls
  assert.ok(first)
  await putPart(first.url, Buffer.from(BYTES.subarray(0, 10)))
  const { body: resumed }: { body: GivenSession } = await call('GET', `${asset}/upload`)
  let doneAtStart: number | undefined
  const upload = client.upload(FILE, {
    session: resumed,
    backend,
    onProgress: ({ state, parts }) => {
      if (state === 'sending') doneAtStart ??= parts.done
    },
  })
  assert.equal((await upload).status, 'ready')
  assert.equal(doneAtStart, 1)
})

test('failures of the backend are retried, and its refusals are reported', async (t) => {
  const { client, session, backend } = await aBackend(t)
  let tries = 0
  const complete: SessionBackend['complete'] = async (upload, signal) => {
    tries += 1
    if (tries === 1) throw new TypeError('fetch failed')
    if (tries === 2) return new Response('bad gateway', { status: 502 })
    return backend.complete(upload, signal)
  }
  const asset = await client.upload(FILE, { session, backend: { ...backend, complete } })
  assert.deepEqual([asset.id, tries], [session.id, 3])
  const other = await aBackend(t)
  const refuse = async () =>
    Response.json({ code: 'not_your_order', message: 'Sign in.' }, { status: 403 })
  await assert.rejects(
    other.client.upload(FILE, {
      session: other.session,
      backend: { ...other.backend, complete: refuse },
    }),
    { code: 'not_your_order', status: 403, message: 'Sign in.' },
  )
})

test('if the storage refuses the URLs of a session, the backend returns new ones', async (t) => {
  const { client, session, backend, calls } = await aBackend(t)
  const urls = session.urls.map(({ url, ...part }) => ({ ...part, url: withWrongSignature(url) }))
  const asset = await client.upload(FILE, { session: { ...session, urls }, backend })
  assert.equal(asset.status, 'ready')
  // The parts are sent concurrently, so several may need new URLs.
  assert.deepEqual([...new Set(namesOf(calls))], ['renew', 'complete'])
})

function withWrongSignature(url: string): string {
  return `${url.slice(0, -1)}${url.endsWith('0') ? '1' : '0'}`
}

test('cancelling a session cancels the upload through the backend, unless the backend has no cancel function', async (t) => {
  const { client, session, backend, calls, asset, call } = await aBackend(t)
  const upload = client.upload(FILE, { session, backend })
  upload.pause()
  await new Promise((resolve) => setImmediate(resolve))
  await upload.cancel()
  await assert.rejects(upload, { code: 'cancelled' })
  assert.deepEqual(namesOf(calls), ['renew', 'cancel'])
  assert.equal((await call('GET', asset)).status, 404)
  const other = await aBackend(t)
  const { cancel, ...without } = other.backend
  const kept = other.client.upload(FILE, { session: other.session, backend: without })
  await kept.cancel()
  assert.equal((await other.call('GET', other.asset)).status, 200)
})

test('a session that was requested with an upload token needs no backend', async (t) => {
  const { service, call } = await aBackend(t)
  const { body: token } = await call('POST', `${API}/upload-tokens`, { max_bytes: 100 })
  const asToken = callerWith(service.baseUrl, token.token)
  const { body: session } = await asToken('POST', `${API}/assets/signed`, { name: 'a', size: 25 })
  const { client } = await aClient(t, { baseUrl: service.baseUrl, apiKey: token.token })
  assert.equal((await client.upload(FILE, { session })).status, 'ready')
  await assert.rejects(client.upload(FILE), { code: 'upload_token_exceeded' })
})

test('createUploadToken returns a token that uploads, resumes and replaces', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const { client: shop } = await aClient(t, { baseUrl: service.baseUrl, apiKey: ADMIN_KEY })
  const { token } = await shop.createUploadToken({ max_bytes: 100, max_files: 2 })
  const { client: page } = await aClient(t, { baseUrl: service.baseUrl, apiKey: token })
  const stopped = new AbortController()
  const first = page.upload(FILE, {
    signal: stopped.signal,
    onProgress: ({ state }) => {
      if (state === 'sending') stopped.abort()
    },
  })
  await assert.rejects(first, { name: 'AbortError' })
  const asset = await page.upload(FILE, { resume: first.id })
  assert.equal(asset.id, first.id)
  await assert.rejects(page.delete(asset.id), { code: 'forbidden' })
  const replacing = await shop.createUploadToken({ max_bytes: 100, replace: asset.id })
  const { client: other } = await aClient(t, { baseUrl: service.baseUrl, apiKey: replacing.token })
  assert.equal((await other.replace(asset.id, FILE)).version, 2)
})

test('a session cannot be combined with a file of another size, a stream, or options of the request that created it', async (t) => {
  const { client, session, backend } = await aBackend(t)
  await assert.rejects(client.upload(new Uint8Array(24), { session, backend }), {
    code: 'file_changed',
  })
  for (const options of [
    { session, backend, name: 'b' },
    { session, backend, resume: false },
    { session, backend, attach: { product_ids: [1] } },
    { session: {} as GivenSession, backend },
    { backend },
  ]) {
    await assert.rejects(client.upload(FILE, options), TypeError)
  }
  const stream = new Blob([BYTES]).stream()
  await assert.rejects(client.upload(stream, { session, backend }), TypeError)
})
