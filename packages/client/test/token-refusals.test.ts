import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { isStowageError, type UploadTokenRequest } from '@stowage/client/node'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { aClient } from './support/client.ts'

const MB = 1_000_000

/** A client with an upload token, and a file of 100 bytes. */
async function aTokenClient(t: TestContext, limits: Partial<UploadTokenRequest> = {}) {
  const { baseUrl } = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const admin = await aClient(t, { baseUrl, apiKey: ADMIN_KEY })
  const request = { max_files: 5, max_bytes: 100 * MB, ...limits }
  const { token } = await admin.client.createUploadToken(request)
  const { client, folder } = await aClient(t, { baseUrl, apiKey: token, parallel: 1 })
  const path = join(folder, 'a.txt')
  await writeFile(path, Buffer.alloc(100))
  return { admin: admin.client, client, path }
}

test('the refusal of products names the option, and where to pass it instead', async (t) => {
  const { client, path } = await aTokenClient(t)
  await assert.rejects(client.upload(path, { attach: { product_ids: [1] } }), (error) => {
    assert.ok(isStowageError(error, 'forbidden') && error.status === 403 && error.requestId)
    assert.match(error.message, /token refuses the option “attach”.*createUploadToken/)
    return true
  })
})

test('the refusal of another folder for a resumed upload names the option', async (t) => {
  const { client, path } = await aTokenClient(t)
  const controller = new AbortController()
  const interrupted = client.upload(path, {
    path: 'a',
    signal: controller.signal,
    onProgress: ({ parts }) => parts.done > 0 && controller.abort('enough'),
  })
  await assert.rejects(interrupted, (reason) => reason === 'enough')
  const message = /token refuses the option “path”.*resume: false/
  await assert.rejects(client.upload(path, { path: 'b' }), { code: 'forbidden', message })
  const { id, status } = await client.upload(path, { path: 'a' })
  assert.deepEqual([id, status], [interrupted.id, 'ready'])
})

test('the refusal of a stream without a length names the option size, at its start and later', async (t) => {
  const { client, admin } = await aTokenClient(t, { max_bytes: 40 * MB })
  const { client: small } = await aTokenClient(t, { max_bytes: MB })
  const message = /token has .* left.*stream without the option “size”/
  for (const [uploader, size] of [
    [small, 20 * MB],
    [client, 50 * MB],
  ] as const) {
    const stream = Readable.from([Buffer.alloc(size / 2), Buffer.alloc(size / 2)])
    const upload = uploader.upload(stream, { name: 's' })
    await assert.rejects(upload, { code: 'upload_token_exceeded', message })
  }
  assert.equal((await admin.uploads().page()).meta.total, 0)
})
