import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { someBytes } from '../../server/test/support/upload.ts'
import { aClient } from './support/client.ts'
import type { Fault } from './support/fault-proxy.ts'
import { aProxiedService } from './support/proxied-service.ts'

const BYTES = new Uint8Array(someBytes(3_000_000))

/** A stored file, and a line to it that the first downloads meet faults on. */
async function aStoredFile(t: TestContext) {
  const faults: Fault[] = []
  const ranges: (string | undefined)[] = []
  const service = await aProxiedService(t, {
    settings: {},
    storage({ method, headers }) {
      if (method !== 'GET') return { kind: 'pass' }
      ranges.push(headers.range)
      return faults.shift() ?? { kind: 'pass' }
    },
  })
  const { client, folder } = await aClient(t, { baseUrl: service.api.url, stallMs: 1000 })
  const { id } = await client.upload(BYTES, { name: 'Übung.bin' })
  return { client, folder, id, faults, ranges }
}

test('a file is saved under the path, or in a folder under its own name', async (t) => {
  const { client, folder, id } = await aStoredFile(t)
  const seen: number[] = []
  const path = join(folder, 'saved.bin')
  const saved = await client.downloadTo(id, path, { onProgress: ({ bytes }) => seen.push(bytes) })
  assert.deepEqual([saved.path, saved.bytes, saved.asset.id], [path, BYTES.length, id])
  assert.ok((await readFile(path)).equals(BYTES))
  assert.equal(seen.at(-1), BYTES.length)
  const own = await client.downloadTo(id, folder)
  assert.equal(own.path, join(folder, 'Übung.bin'))
  assert.deepEqual((await readdir(folder)).sort(), ['saved.bin', 'Übung.bin'].sort())
})

test('a download that breaks off goes on where it was', async (t) => {
  const { client, folder, id, faults, ranges } = await aStoredFile(t)
  faults.push({ kind: 'half' }, { kind: 'lose' }, { kind: 'refuse', status: 503 })
  const path = join(folder, 'saved.bin')
  await client.downloadTo(id, path)
  assert.ok((await readFile(path)).equals(BYTES))
  assert.equal(ranges[0], undefined)
  assert.match(ranges.at(-1) ?? '', /^bytes=[1-9]\d*-$/)
})

test('a download that was aborted is gone on with by the next call', async (t) => {
  const { client, folder, id, faults, ranges } = await aStoredFile(t)
  const controller = new AbortController()
  faults.push({ kind: 'half' }, { kind: 'hang' })
  const path = join(folder, 'saved.bin')
  await assert.rejects(
    client.downloadTo(id, path, {
      signal: controller.signal,
      onProgress: ({ bytes }) => bytes > 0 && controller.abort(),
    }),
    { name: 'AbortError' },
  )
  assert.deepEqual(await readdir(folder), [`.${id}.part`])
  await client.downloadTo(id, path)
  assert.ok((await readFile(path)).equals(BYTES))
  assert.match(ranges.at(-1) ?? '', /^bytes=[1-9]\d*-$/)
})
