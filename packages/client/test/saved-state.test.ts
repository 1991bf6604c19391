import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { NodeClient } from '@stowage/client/node'
import { aFolder } from '@stowage/testing/machine/clean-up'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  requestKey,
} from '@stowage/testing/service/accounts'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'

const BYTES = someBytes(40)

/** A service with a file, and clients of it that share a state folder. */
async function aSharedFolder(t: TestContext) {
  const service = await aKeyedService(t, { STOWAGE_CHUNK_SIZE: '10' })
  const stateFolder = await aFolder(t)
  const path = join(await aFolder(t), 'course.mp4')
  await writeFile(path, BYTES)
  const clientOf = async (apiKey: string) => {
    const options = { baseUrl: service.baseUrl, apiKey, stateFolder, parallel: 1 }
    return (await aClient(t, options)).client
  }
  return { service, path, clientOf }
}

/** Starts the upload, and aborts it after the first part. Returns the ID of the asset. */
async function interrupt(client: NodeClient, path: string): Promise<string> {
  const controller = new AbortController()
  const { signal } = controller
  const upload = client.upload(path, {
    signal,
    onProgress: ({ parts }) => parts.done > 0 && controller.abort('enough'),
  })
  await assert.rejects(upload, (reason) => reason === 'enough')
  return upload.id ?? ''
}

test('each account has its own saved uploads, even of the same file and in the same folder', async (t) => {
  const { service, path, clientOf } = await aSharedFolder(t)
  const first = await clientOf(ADMIN_KEY)
  const second = await clientOf((await anAccount(service, { name: 'second' })).keys.manage.secret)
  const id = await interrupt(first, path)
  assert.deepEqual(await second.unfinished(), [])
  // For the second account, there is no such upload.
  await second.cancelUpload(id)
  const ids = async (client: NodeClient) => (await client.unfinished()).map((one) => one.id)
  assert.deepEqual(await ids(first), [id])
  const secondId = await interrupt(second, path)
  assert.notEqual(secondId, id)
  assert.deepEqual([await ids(first), await ids(second)], [[id], [secondId]])
  assert.equal((await first.upload(path)).id, id)
  assert.equal((await second.upload(path)).id, secondId)
  assert.deepEqual([await ids(first), await ids(second)], [[], []])
})

test('another key of the same account resumes an upload', async (t) => {
  const { service, path, clientOf } = await aSharedFolder(t)
  const id = await interrupt(await clientOf(ADMIN_KEY), path)
  const { secret } = await requestKey(callerWith(service.baseUrl, ADMIN_KEY), 'manage')
  const client = await clientOf(secret)
  assert.equal((await client.upload(path)).id, id)
  assert.equal((await client.assets().page()).meta.total, 1)
})

test('unfinished() returns only uploads that can be cancelled, with the documented fields', async (t) => {
  const { path, clientOf, service } = await aSharedFolder(t)
  const client = await clientOf(ADMIN_KEY)
  const unreachable = await aClient(t, {
    baseUrl: service.baseUrl,
    retry: { tries: 1 },
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  })
  await assert.rejects(unreachable.client.upload(path), { code: 'network' })
  assert.deepEqual(await unreachable.client.unfinished(), [])
  const id = await interrupt(client, path)
  const [upload, ...more] = await client.unfinished()
  assert.ok(upload)
  assert.equal(more.length, 0)
  const fields = ['key', 'id', 'name', 'size', 'startedAt', 'replaces', 'uploadId']
  assert.deepEqual(Object.keys(upload), fields)
  assert.deepEqual([upload.id, upload.name, upload.size], [id, 'course.mp4', 40])
  await client.cancelUpload(upload.id)
  assert.deepEqual(await client.unfinished(), [])
})
