import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import type { Asset } from '@stowage/protocol'
import { partPlan, partRanges } from '@stowage/server/src/domain/parts'
import { md5Of, sendPart } from '@stowage/server/src/move/copy-object'
import { openS3Storage } from '@stowage/server/src/storage/s3/s3-storage'
import { aCephServer, missingForCeph } from '@stowage/testing/engines/ceph'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { aBucket, credentialsOf, openBucket, readBucket } from '@stowage/testing/engines/s3-server'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { skipUnlessCi } from '@stowage/testing/machine/programs'
import { until } from '@stowage/testing/machine/until'
import { anEmbeddedService, callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { COMMAND } from '@stowage/testing/service/stowage-command'
import { API, download, listAll, someBytes, uploadFile } from '@stowage/testing/service/upload'

/* Runs on postgres+ceph. */

const ASSETS = Number(process.env.MOVE_ASSETS ?? 120)
const CONCURRENCY = 16
const MEBIBYTE = 1024 * 1024
const PREFIX = 'moved/'
/** The part size of the target. The source uses smaller parts, so the move splits large files differently. */
const CHUNK = 5 * MEBIBYTE

/** Most files are small. Every hundredth has several parts on both sides. */
function bytesOf(index: number): Buffer {
  const size = index % 100 === 99 ? 2 * CHUNK + index : index * 7
  return someBytes(size, index + 1)
}

/** Calls `work` with 0, 1, 2, …, several at a time. */
async function repeat(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values()
  const worker = async () => {
    for (const index of numbers) await work(index)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
}

/** The assets as clients see them, without the URL of the service. */
async function listOf(baseUrl: string): Promise<Asset[]> {
  const assets = await listAll(baseUrl, '&with_products=true')
  return JSON.parse(JSON.stringify(assets).replaceAll(baseUrl, ''))
}

/** A data folder with many assets, some of which are attached to products. */
async function aFullFolder(t: TestContext) {
  const folder = await aFolder(t)
  const settings = { STOWAGE_DATA: folder, STOWAGE_CHUNK_SIZE: '3MB' }
  const service = await anEmbeddedService(t, settings)
  const { baseUrl } = service
  const products = [1, 2, 3].map((id) => ({ product_id: id, variant_id: 10 + id, name: `P${id}` }))
  await callJson(`${baseUrl}${API}/products`, { method: 'PUT', body: { products } })
  await repeat(ASSETS, async (index) => {
    const { id } = await uploadFile(baseUrl, { name: `${index}.bin`, bytes: bytesOf(index) })
    if (index % 10 !== 0) return
    const body = { product_ids: [1 + (index % 3)] }
    await callJson(`${baseUrl}${API}/assets/${id}/attach`, { method: 'POST', body })
  })
  const list = await listOf(baseUrl)
  await service.close()
  return { folder, list }
}

function startMove(folder: string, settings: Record<string, string>) {
  return start(settings, 'move', '--from', folder, '--json')
}

function start(settings: Record<string, string>, ...commandLine: string[]) {
  // The command refuses unknown settings, such as those that select the engines of the tests.
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('STOWAGE_TEST_'))
  const env = { ...Object.fromEntries(own), ...settings }
  const child = spawn(process.execPath, [COMMAND, ...commandLine], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (text) => {
    stdout += text
  })
  child.stderr.on('data', (text) => {
    stderr += text
  })
  const ended = once(child, 'close')
  return { child, ended, output: () => ({ stdout, stderr }) }
}

const missing = await missingForCeph()
if (missing !== undefined) {
  test('a move to PostgreSQL and Ceph', (t) => skipUnlessCi(t, missing))
} else {
  const postgres = await aPostgresServer()
  const ceph = await aCephServer()
  Object.assign(process.env, credentialsOf(ceph))

  test('the storage rejects a part that was changed in transit', async (t) => {
    const storage = await openBucket(ceph)
    cleanUp(t, () => storage.close())
    const key = randomUUID()
    const id = await storage.createUpload({ key, id: key, mime: 'text/plain' })
    const range = { number: 1, start: 0, end: 3 }
    const {
      urls: [url = ''],
    } = await storage.signParts({ key, id }, [range], new Date(Date.now() + 60_000))
    async function* bytes() {
      yield Buffer.from('abc')
    }
    async function* others() {
      yield Buffer.from('abd')
    }
    const part = { url, length: 3, bytes }
    await assert.rejects(sendPart(part, await md5Of(others())), /BadDigest/)
    assert.deepEqual(await storage.listParts({ key, id }), [])
    await sendPart(part, await md5Of(bytes()))
    assert.equal((await storage.listParts({ key, id }))?.length, 1)
  })

  test('a move that is resumed with another part size creates the same object', async (t) => {
    const folder = await aFolder(t)
    const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
    const bytes = bytesOf(99)
    const { id: key } = await uploadFile(service.baseUrl, { bytes })
    await service.close()
    const { endpoint, region } = ceph
    const bucket = await aBucket(ceph)
    const options = { bucket, prefix: '', endpoint, region, pathStyle: true }
    const storage = await openS3Storage({ ...options, maxParts: 10_000, clock: () => new Date() })
    cleanUp(t, () => storage.close())
    const id = await storage.createUpload({ key, id: key, mime: 'text/plain' })
    const ranges = partRanges(partPlan(bytes.length, CHUNK)).slice(0, 2)
    const later = new Date(Date.now() + 60_000)
    const { urls } = await storage.signParts({ key, id }, ranges, later)
    for (const [index, { start, end }] of ranges.entries()) {
      const part = new Uint8Array(bytes.subarray(start, end))
      assert.equal((await fetch(urls[index] ?? '', { method: 'PUT', body: part })).status, 200)
    }
    const last = startMove(folder, {
      STOWAGE_DATABASE: await postgres.emptyDatabase(t),
      STOWAGE_STORAGE: `s3://${bucket}`,
      STOWAGE_S3_ENDPOINT: endpoint,
      STOWAGE_S3_REGION: region,
    })
    const [code] = await last.ended
    assert.equal(code, 0, last.output().stderr)
    assert.equal((await storage.findObject(key))?.size, bytes.length)
    assert.deepEqual(await Array.fromAsync(storage.listUploads()), [])
  })

  test(`${ASSETS} assets are moved to PostgreSQL and S3, although the move is killed twice`, async (t) => {
    const { folder, list } = await aFullFolder(t)
    assert.equal(list.length, ASSETS)
    const { endpoint, region } = ceph
    const bucket = await aBucket(ceph)
    const settings = {
      STOWAGE_DATABASE: await postgres.emptyDatabase(t),
      STOWAGE_STORAGE: `s3://${bucket}/${PREFIX}`,
      STOWAGE_S3_ENDPOINT: endpoint,
      STOWAGE_S3_REGION: region,
      STOWAGE_CHUNK_SIZE: String(CHUNK),
    }
    const count = async () =>
      (await readBucket({ endpoint, region, bucket, prefix: PREFIX })).length
    for (const goal of [ASSETS / 10, ASSETS / 2]) {
      const { child, ended } = startMove(folder, settings)
      cleanUp(t, () => child.kill('SIGKILL'))
      await until(`${goal} objects are stored`, async () => (await count()) >= goal, 120_000)
      child.kill('SIGKILL')
      await ended
      assert.ok((await count()) < ASSETS, 'the move was killed before its end')
      const service = start(settings, 'serve')
      assert.equal((await service.ended)[0], 1)
      assert.match(service.output().stderr, new RegExp(`stowage move --from ${folder}\\.`))
    }
    const last = startMove(folder, settings)
    const [code] = await last.ended
    const { stdout, stderr } = last.output()
    assert.equal(code, 0, stderr)
    const moved = JSON.parse(stdout)
    assert.deepEqual([moved.assets, moved.products, moved.uploadsLeft], [ASSETS, 3, 0])

    const serviceSettings = { ...settings, STOWAGE_STORAGE_PORT: '', STOWAGE_LOG: 'warn' }
    const service = await aServiceProcess(t, serviceSettings)
    assert.deepEqual(await listOf(service.baseUrl), list)
    await repeat(ASSETS, async (index) => {
      const asset = list[index]
      assert.ok(asset)
      const sent = bytesOf(Number.parseInt(asset.filename, 10))
      const bytes = await download(service.baseUrl, asset.id)
      assert.equal(digest(bytes), digest(sent), asset.filename)
    })
    assert.equal(await count(), ASSETS)
  })
}

function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
