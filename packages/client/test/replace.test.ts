import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isStowageError } from '@stowage/client/node'
import { aService } from '@stowage/testing/service/service'
import { API, download, someBytes } from '@stowage/testing/service/upload'
import { aClient } from './support/client.ts'
import { aProxiedService } from './support/proxied-service.ts'

const CHUNKS = { STOWAGE_CHUNK_SIZE: '100000', STOWAGE_LOG: 'warn' }
const OLD = someBytes(250_000, 1)
const NEW = someBytes(350_001, 2)

test('replace uploads a new version; versions, restore and deleteVersion manage them', async (t) => {
  const { baseUrl } = await aService(t, { ...CHUNKS, STOWAGE_KEEP_VERSIONS: '1' })
  const { client, folder } = await aClient(t, { baseUrl })
  const { id } = await client.upload(OLD, { name: 'book.pdf', mime: 'application/pdf' })
  const path = join(folder, 'fixed.pdf')
  await writeFile(path, NEW)
  const asset = await client.replace(id, path)
  assert.deepEqual([asset.id, asset.filename, asset.version], [id, 'book.pdf', 2])
  assert.ok((await download(baseUrl, id)).equals(NEW))
  const first = await client.download(id, { version: 1, range: { start: 249_990 } })
  assert.ok(Buffer.from(await first.arrayBuffer()).equals(OLD.subarray(249_990)))

  const renamed = await client.replace(id, OLD, { name: 'third.pdf' })
  assert.deepEqual([renamed.filename, renamed.version], ['third.pdf', 3])
  assert.equal((await client.restore(id, 2)).filename, 'book.pdf')
  const versions = await client.versions(id)
  assert.deepEqual(
    versions.map(({ version, current }) => [version, current]),
    [
      [3, false],
      [2, true],
    ],
  )
  await client.deleteVersion(id, 3)
  assert.equal((await client.versions(id)).length, 1)
  await assert.rejects(client.deleteVersion(id, 2), { code: 'current_version' })
  await assert.rejects(client.restore(id, 3), { code: 'not_found' })
  await assert.rejects(client.restore(id, '../3' as unknown as number), TypeError)
  assert.deepEqual(await client.unfinished(), [])
})

/** A replacement that was aborted after two of four parts. `sent` has the URL of each part that was sent for it. */
async function anAbortedReplacement(t: TestContext) {
  const sent: string[] = []
  const { api } = await aProxiedService(t, {
    settings: CHUNKS,
    storage({ method, url }) {
      if (method === 'PUT') sent.push(url ?? '')
      return { kind: 'pass' }
    },
  })
  const { client, folder } = await aClient(t, { baseUrl: api.url, parallel: 1 })
  const { id } = await client.upload(OLD)
  const path = join(folder, 'new.bin')
  await writeFile(path, NEW)
  sent.length = 0
  const controller = new AbortController()
  const aborted = client.replace(id, path, {
    signal: controller.signal,
    onProgress: ({ parts }) => parts.done >= 2 && controller.abort(),
  })
  await assert.rejects(aborted, { name: 'AbortError' })
  return { api, client, id, path, sent }
}

test('an aborted replacement is resumed by the same call, and can be cancelled', async (t) => {
  const { api, client, id, path, sent } = await anAbortedReplacement(t)
  const [saved] = await client.unfinished()
  assert.deepEqual([saved?.id, saved?.replaces], [id, id])
  // Another file cannot replace the asset meanwhile, and the error identifies the first upload.
  await assert.rejects(client.replace(id, OLD), (error) => {
    assert.ok(isStowageError(error, 'replacement_in_progress'))
    assert.equal(error.facts.upload_id, saved?.uploadId)
    return true
  })
  const replaced = client.replace(id, path)
  assert.equal((await replaced).version, 2)
  assert.ok(sent.length <= 5, `${sent.length} of 4 parts were sent`)
  assert.ok((await download(api.url, id)).equals(NEW))

  const paused = client.replace(id, OLD)
  paused.pause()
  await paused.cancel()
  assert.equal((await client.replace(id, OLD)).version, 3)
})

test('another machine can resume a replacement by its upload ID, but only with a file of the same size', async (t) => {
  const { api, id, sent } = await anAbortedReplacement(t)

  const other = await aClient(t, { baseUrl: api.url })
  const copy = join(other.folder, 'copy.bin')
  await writeFile(copy, NEW.subarray(1))
  const [upload] = (await other.client.uploads().page()).data
  const resume = upload?.upload_id ?? ''
  await assert.rejects(other.client.replace(id, copy, { resume }), { code: 'file_changed' })
  await writeFile(copy, NEW)
  sent.length = 0
  const asset = await other.client.replace(id, copy, { resume })
  assert.deepEqual([asset.id, asset.version, asset.bytes], [id, 2, NEW.length])
  assert.ok(sent.length <= 2, `${sent.length} of 4 parts were sent again`)
  assert.ok((await download(api.url, id)).equals(NEW))
  await assert.rejects(other.client.replace(id, OLD, { resume: id }), { code: 'upload_ended' })
  assert.deepEqual(await other.client.unfinished(), [])
})

test('cancelUpload cancels a replacement by its upload ID, and the asset stays', async (t) => {
  const service = await aService(t, CHUNKS)
  const { client } = await aClient(t, { baseUrl: service.baseUrl })
  const { id } = await client.upload(OLD)
  await service.call('POST', `${API}/assets/${id}/signed`, { size: 5 })
  const [upload] = (await client.uploads().page()).data
  assert.deepEqual([upload?.id, upload?.is_replacement], [id, true])
  await client.cancelUpload(id)
  assert.equal((await client.uploads().page()).data.length, 1)
  await client.cancelUpload(id, { upload_id: upload?.upload_id ?? '' })
  await client.cancelUpload(id, { upload_id: upload?.upload_id ?? '' })
  assert.equal((await client.uploads().page()).data.length, 0)
  assert.equal((await client.asset(id)).version, 1)
})

for (const kept of ['1', '0']) {
  test(`if a download is interrupted while the file is replaced, it never mixes two versions (older versions kept: ${kept})`, async (t) => {
    let isCutting = false
    let replacing: Promise<unknown> | undefined
    const { api } = await aProxiedService(t, {
      settings: { ...CHUNKS, STOWAGE_KEEP_VERSIONS: kept },
      storage: ({ method }) => ({ kind: method === 'GET' && isCutting ? 'half' : 'pass' }),
    })
    const { client, folder } = await aClient(t, {
      baseUrl: api.url,
      // A download continues only after the file is replaced.
      async fetch(url, init) {
        if (String(url).includes('/download')) await replacing
        return fetch(url, init)
      },
    })
    const { id } = await client.upload(OLD)
    const controller = new AbortController()
    const target = join(folder, 'saved.bin')
    isCutting = true
    const first = client.downloadTo(id, target, {
      signal: controller.signal,
      onProgress: ({ bytes }) => bytes > 0 && controller.abort(),
    })
    await assert.rejects(first, { name: 'AbortError' })
    isCutting = false
    await client.replace(id, NEW)
    await client.downloadTo(id, target)
    assert.ok((await readFile(target)).equals(NEW))

    // The file is replaced during a single call, between two of its requests.
    const { id: other } = await client.upload(OLD)
    isCutting = true
    const saved = await client.downloadTo(other, join(folder, 'other.bin'), {
      onProgress() {
        replacing ??= client.replace(other, NEW)
        isCutting = false
      },
    })
    await replacing
    const bytes = await readFile(saved.path)
    // If the older version is kept, the download continues with it. Otherwise it starts again with the new one.
    assert.equal(saved.asset.version, kept === '1' ? 1 : 2)
    assert.ok(bytes.equals(kept === '1' ? OLD : NEW))
    assert.ok(!(await readdir(folder)).includes(`.${other}.part`))
  })
}

test('a download of a file that is replaced repeatedly ends with an error', async (t) => {
  const service = await aService(t, { ...CHUNKS, STOWAGE_KEEP_VERSIONS: '0' })
  const { client, folder } = await aClient(t, { baseUrl: service.baseUrl })
  const { id } = await client.upload(OLD)
  let downloads = 0
  const reader = await aClient(t, {
    baseUrl: service.baseUrl,
    async fetch(url, init) {
      if (String(url).includes('/download')) {
        downloads += 1
        await client.replace(id, someBytes(5, downloads))
      }
      return fetch(url, init)
    },
  })
  const target = join(folder, 'saved.bin')
  await assert.rejects(reader.client.downloadTo(id, target), (error) => {
    assert.ok(isStowageError(error, 'file_changed'))
    assert.match(error.message, /replaced 11 times.*Download it again/)
    return true
  })
  assert.equal(downloads, 11)
  assert.deepEqual(await readdir(folder), [])
})

test('if a version is removed from the storage just before its download, the new version is downloaded', async (t) => {
  const service = await aService(t, { ...CHUNKS, STOWAGE_KEEP_VERSIONS: '0' })
  const { client, folder } = await aClient(t, { baseUrl: service.baseUrl })
  const { id } = await client.upload(OLD)
  let downloads = 0
  const reader = await aClient(t, {
    baseUrl: service.baseUrl,
    async fetch(url, init) {
      if (!String(url).includes('/download')) return fetch(url, init)
      downloads += 1
      if (downloads > 1) return fetch(url, init)
      const { headers } = await fetch(url, { ...init, redirect: 'manual' })
      await client.replace(id, NEW)
      await service.context.storage.removeObject(id)
      return fetch(headers.get('location') ?? '')
    },
  })
  const saved = await reader.client.downloadTo(id, join(folder, 'saved.bin'))
  assert.equal(saved.asset.version, 2)
  assert.ok((await readFile(saved.path)).equals(NEW))
  assert.deepEqual(await readdir(folder), ['saved.bin'])
})
