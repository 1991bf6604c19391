import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { until } from '@stowage/testing/machine/until'
import { partPlan, partRanges } from '../../domain/parts.ts'
import { openDiskStorage } from './disk-storage.ts'
import type { ListenerFailure } from './open-listener.ts'

const CHUNK = 300_000
const plan = partPlan(2 * CHUNK, CHUNK)
const later = () => new Date(Date.now() + 60_000)

/** An object of two parts with one byte changed on the disk after it was stored. */
async function aDamagedObject(t: TestContext, { part, at }: { part: number; at: number }) {
  const directory = await aFolder(t)
  const failures: ListenerFailure[] = []
  const onFailure = (failure: ListenerFailure) => void failures.push(failure)
  const options = { directory, host: '127.0.0.1', port: 0, reserve: 0, onFailure }
  const storage = await openDiskStorage(options)
  cleanUp(t, () => storage.close())
  const upload = { key: randomUUID(), id: randomUUID() }
  await storage.createUpload({ ...upload, mime: 'text/plain' })
  const { urls } = await storage.signParts(upload, partRanges(plan), later())
  for (const url of urls) {
    await fetch(url, { method: 'PUT', body: new Uint8Array(CHUNK).fill(7) })
  }
  await storage.completeUpload(upload, plan, [])
  const object = { key: upload.key, plan, filename: 'a.txt', mime: 'text/plain' }
  const { url } = await storage.signDownload(object, later())
  assert.equal((await (await fetch(url)).bytes()).length, 2 * CHUNK)
  const file = join(directory, 'objects', upload.key.slice(-2), upload.key, `0000${part}`)
  const bytes = await readFile(file)
  bytes[at] = 8
  await writeFile(file, bytes)
  return { url, failures }
}

for (const { name, part, at } of [
  { name: 'the first byte of a file', part: 1, at: 0 },
  { name: 'the last byte of a file', part: 2, at: CHUNK - 1 },
  { name: 'the digest of a part', part: 2, at: CHUNK + 3 },
]) {
  test(`if ${name} changed on the disk, a download never completes, and the log gives the reason`, async (t) => {
    const { url, failures } = await aDamagedObject(t, { part, at })
    await assert.rejects(async () => (await fetch(url)).bytes())
    await until('the failure is reported', () => failures.length > 0)
    assert.match(JSON.stringify(failures[0]), /changed since it was stored/)
    const from = { headers: { Range: `bytes=${CHUNK}-` } }
    const second = async () => (await (await fetch(url, from)).bytes()).length
    if (part === 2) await assert.rejects(second)
    else assert.equal(await second(), CHUNK)
  })
}
