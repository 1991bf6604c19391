import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import { createClient } from '@stowage/client/node'
import { aFolder, aService } from '@stowage/testing/service/service'
import { someBytes, uploadFile } from '@stowage/testing/service/upload'

test('an archive is downloaded, resumed and verified', async (t) => {
  const service = await aService(t)
  const bytes = someBytes(3_000_000)
  const ids: string[] = []
  for (const name of ['a.bin', 'b.bin']) {
    ids.push((await uploadFile(service.baseUrl, { name, bytes })).id)
  }
  const urls: { url: string; range: string | null }[] = []
  const client = createClient({
    baseUrl: service.baseUrl,
    fetch: (input, init) => {
      urls.push({ url: String(input), range: new Headers(init?.headers).get('range') })
      return fetch(input, init)
    },
  })
  const folder = await aFolder(t)

  // Interrupted in the middle.
  const abort = new AbortController()
  const onProgress = ({ bytes }: { bytes: number }) => {
    if (bytes > 0) abort.abort(new Error('interrupted'))
  }
  const path = join(folder, 'all.zip')
  const interrupted = client.downloadZip({ ids }, path, { signal: abort.signal, onProgress })
  await assert.rejects(interrupted, /interrupted/)
  const [partial = ''] = await readdir(folder)
  const saved = (await readFile(join(folder, partial))).length
  assert.ok(saved > 0)

  const { archive, path: target } = await client.downloadZip({ ids }, path)
  assert.equal(target, path)
  assert.equal(urls.at(-1)?.range, `bytes=${saved}-`)
  const whole = await readFile(path)
  assert.deepEqual(whole, Buffer.from(await (await fetch(archive.url)).arrayBuffer()))
  assert.deepEqual(await readdir(folder), ['all.zip'])
  await assert.rejects(client.downloadZip({ ids }, path, { overwrite: false }), {
    code: 'file_exists',
  })

  // The part that an earlier call saved has changed on this disk: all bytes are downloaded again.
  assert.notEqual(crc32(bytes), 0)
  const damaged = Buffer.from(whole.subarray(0, 2_000_000))
  damaged[1_000_000] = (damaged[1_000_000] ?? 0) ^ 1
  await writeFile(join(folder, `.${archive.etag}.zip.part`), damaged)
  await client.downloadZip({ ids }, path)
  assert.deepEqual(await readFile(path), whole)
})
