import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { createClient as createBrowserClient } from '@stowage/client'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { aService } from '@stowage/testing/service/service'
import { download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'

/* Runs on sqlite+disk and postgres+ceph. */

const CHUNKS = { STOWAGE_CHUNK_SIZE: '100000', STOWAGE_LOG: 'warn' }

test('a path, a File, a Blob and bytes are stored completely', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const { client } = await aClient(t, { baseUrl })
  const bytes = new Uint8Array(someBytes(750_001))
  const path = join(await aFolder(t), 'Übung 1.zip')
  await writeFile(path, bytes)
  const inputs = [
    path,
    { path },
    bytes,
    bytes.buffer,
    new Blob([bytes]),
    new File([bytes], 'a.zip', { type: 'application/zip' }),
  ]
  const assets = await Promise.all(inputs.map((input) => client.upload(input)))
  assert.deepEqual(
    assets.map(({ filename }) => filename),
    ['Übung 1.zip', 'Übung 1.zip', 'file', 'file', 'file', 'a.zip'],
  )
  assert.deepEqual(
    assets.map(({ mime }) => mime).filter((mime) => mime === 'application/zip').length,
    3,
  )
  for (const { id, status } of assets) {
    assert.equal(status, 'ready')
    assert.ok((await download(baseUrl, id)).equals(bytes))
  }
})

test('an empty file has one empty part', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const { client, folder } = await aClient(t, { baseUrl })
  const path = join(folder, 'empty.txt')
  await writeFile(path, '')
  for (const input of [path, new Blob([])]) {
    const upload = client.upload(input)
    const asset = await upload
    assert.deepEqual([asset.bytes, asset.status], [0, 'ready'])
    assert.deepEqual(upload.progress.parts, { done: 1, total: 1 })
  }
})

test('a file is sent in parts of 16 MB, so that little is sent again after an interruption', async (t) => {
  const { baseUrl } = await aService(t)
  const { client } = await aClient(t, { baseUrl })
  const upload = client.upload(new Blob([new Uint8Array(40_000_000)]))
  assert.equal((await upload).bytes, 40_000_000)
  assert.deepEqual(upload.progress.parts, { done: 3, total: 3 })
})

test('a folder, a pipe and a missing file are refused without a request', {
  timeout: 20_000,
}, async (t) => {
  const { client, folder } = await aClient(t, { baseUrl: 'http://127.0.0.1:9' })
  const pipe = join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  for (const path of [folder, pipe, join(folder, 'nothing')]) {
    await assert.rejects(client.upload(path), { code: 'file_unreadable' })
  }
})

test('the browser client sends parts with fetch if there is no XMLHttpRequest', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const client = createBrowserClient({ baseUrl })
  const bytes = new Uint8Array(someBytes(250_000))
  const { id } = await client.upload(new File([bytes], 'page.bin'))
  const sha256 = createHash('sha256')
    .update(await download(baseUrl, id))
    .digest('hex')
  assert.equal(sha256, createHash('sha256').update(bytes).digest('hex'))
  assert.deepEqual(await client.unfinished(), [])
})
