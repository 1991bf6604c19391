import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { isStowageError, type UploadOptions } from '@stowage/client/node'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'

const BYTES = new Uint8Array(someBytes(100))
const isInvalid = (error: unknown) => isStowageError(error, 'invalid')

/** Options that the service refuses. */
const REFUSED: UploadOptions[] = [{ path: '../x' }, { mime: 'no type' }, { sha256: 'x' }]

test('a file whose upload was refused can be uploaded with other options', async (t) => {
  const { baseUrl } = await aService(t)
  const { client, folder } = await aClient(t, { baseUrl })
  const path = join(folder, 'a.txt')
  await writeFile(path, BYTES)
  for (const file of [path, new File([BYTES], 'b.txt')]) {
    for (const options of REFUSED) {
      await assert.rejects(client.upload(file, options), isInvalid)
      assert.deepEqual(await client.unfinished(), [])
      const asset = await client.upload(file)
      assert.deepEqual([asset.status, asset.path], ['ready', null])
      await assert.rejects(client.upload(file, options), isInvalid)
      assert.equal((await client.upload(file, { path: 'good' })).path, 'good')
    }
  }
  const asset = await client.upload(path)
  await assert.rejects(client.replace(asset.id, path, { name: 'a/b' }), isInvalid)
  assert.equal((await client.replace(asset.id, path)).version, 2)
})

test('a refused upload can be cancelled, and leaves nothing at the service', async (t) => {
  const { baseUrl } = await aService(t)
  const { client, folder } = await aClient(t, { baseUrl })
  const path = join(folder, 'a.txt')
  await writeFile(path, BYTES)
  const upload = client.upload(path, { path: '../x' })
  await assert.rejects(upload, isInvalid)
  await upload.cancel()
  assert.equal(upload.progress.state, 'cancelled')
  assert.equal((await client.uploads().page()).meta.total, 0)
})

test('a request that an earlier version has saved and the service refuses does not prevent an upload', async (t) => {
  const { baseUrl } = await aService(t)
  const { client, folder, stateFolder } = await aClient(t, { baseUrl })
  const path = join(folder, 'a.txt')
  await writeFile(path, BYTES)
  // The service is not reached, so the state is kept: the request may have arrived.
  const unreachable = await aClient(t, {
    baseUrl,
    stateFolder,
    retry: { tries: 1 },
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  })
  await assert.rejects(unreachable.client.upload(path, { path: '../x' }), { code: 'network' })
  assert.equal((await client.upload(path)).path, null)
})

test('an upload with products that its token may not attach leaves nothing at the service', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  const admin = await aClient(t, { baseUrl, apiKey: ADMIN_KEY })
  const { token } = await admin.client.createUploadToken({ max_files: 2, max_bytes: 1000 })
  const { client, folder } = await aClient(t, { baseUrl, apiKey: token })
  const path = join(folder, 'a.txt')
  await writeFile(path, BYTES)
  await assert.rejects(client.upload(path, { attach: { product_ids: [1] } }), { code: 'forbidden' })
  assert.equal((await admin.client.uploads().page()).meta.total, 0)
  assert.equal((await client.upload(path)).status, 'ready')
})
