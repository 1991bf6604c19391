import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { copyFile, open, readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { UploadSession } from '@stowage/protocol'
import type { Environment } from '@stowage/server/src/config/config'
import { openSqliteDatabase } from '@stowage/server/src/database/sqlite/sqlite-database'
import { partPlan, partRanges } from '@stowage/server/src/domain/parts'
import type { Context } from '@stowage/server/src/operations/context'
import type { StorageUpload } from '@stowage/server/src/storage/storage'
import { cleanUp } from '../machine/clean-up.ts'
import { startTcpProxy } from '../proxies/tcp-proxy.ts'

export interface Engines {
  settings: Environment
  backdoor: StorageBackdoor
}

/** Whether the suite runs on S3, where settings require parts of at least 5 MiB and transfers bypass the service. */
export const isOnS3 = process.env.STOWAGE_TEST_S3 !== undefined

/** Whether the suite runs on SQLite and disk. */
export const areEmbedded = !isOnS3 && process.env.STOWAGE_TEST_POSTGRES === undefined

/** The names of the engines, as used in result files. */
export const ENGINES = areEmbedded ? 'sqlite-disk' : isOnS3 ? 'postgres-s3' : 'postgres-disk'

const S3_REGION = 'us-east-1'
const PREFIX = 'some/prefix/'

/**
 * The engines that the suite runs on: SQLite and disk, unless the environment names other servers. Each
 * call creates a new, empty database and bucket. S3 is reached through a proxy, which a test can stop,
 * unless `isReliable` is set.
 */
export async function testEngines(
  t: TestContext,
  folder: string,
  { isReliable }: { isReliable: boolean },
): Promise<Engines> {
  const { STOWAGE_TEST_POSTGRES: server, STOWAGE_TEST_S3: s3 } = process.env
  const database: Environment = {}
  // The modules of these engines are loaded only if they are used, because that takes long in each process.
  if (server !== undefined) {
    const { aDatabase } = await import('./a-database.ts')
    database.STOWAGE_DATABASE = await aDatabase(t, server)
    database.STOWAGE_DATABASE_POOL = '4'
  } else await copySqliteTemplate(join(folder, 'stowage.db'))
  if (s3 === undefined) return { settings: database, backdoor: diskBackdoor(folder) }
  const { aBucket, emptyBucket, readBucket, readUploadsIn } = await import('./s3-server.ts')
  const proxy = isReliable ? undefined : await startTcpProxy(Number(new URL(s3).port))
  cleanUp(t, () => proxy?.stop())
  const bucket = await aBucket({ endpoint: s3, region: S3_REGION })
  const location = { endpoint: s3, region: S3_REGION, bucket, prefix: PREFIX }
  cleanUp(t, () => emptyBucket(location))
  return {
    settings: {
      ...database,
      STOWAGE_STORAGE: `s3://${bucket}/${PREFIX}`,
      STOWAGE_S3_ENDPOINT: proxy === undefined ? s3 : `http://127.0.0.1:${proxy.port}`,
      STOWAGE_S3_REGION: S3_REGION,
    },
    backdoor: {
      readObjects: () => readBucket(location),
      async makeUnavailable() {
        assert.ok(proxy, 'storage with isReliable cannot be made unavailable')
        await proxy.stop()
        return () => proxy.start()
      },
      async assertHoldsOnly(objects) {
        assert.deepEqual(await readBucket(location), objects.map(({ id }) => id).sort())
        assert.deepEqual(await readUploadsIn(location), [])
      },
    },
  }
}

/** Creates a migrated SQLite file, so that tests need not run migrations. Returns its path. */
export async function createSqliteTemplate(folder: string): Promise<string> {
  const file = join(folder, 'template.db')
  const template = await openSqliteDatabase({ file })
  await template.close()
  return file
}

/** Copies the template, if TEST_SQLITE_TEMPLATE is set. Otherwise, opening the file creates and migrates it. */
export async function copySqliteTemplate(file: string): Promise<void> {
  const { TEST_SQLITE_TEMPLATE: template } = process.env
  if (template !== undefined) await copyFile(template, file)
}

/** Direct access to the storage for tests, without the service, on any storage. */
export interface StorageBackdoor {
  /** The keys of all objects. On disk, also the names of folders that are being deleted. */
  readObjects(): Promise<string[]>
  /** Makes the storage unavailable. The returned function restores it. */
  makeUnavailable(): Promise<() => Promise<void>>
  /** Fails unless the storage holds exactly these objects: no open upload, no part, no other object. */
  assertHoldsOnly(objects: { id: string; bytes: number }[], chunkSize: number): Promise<void>
}

export function diskBackdoor(folder: string): StorageBackdoor {
  const storage = join(folder, 'storage')
  return {
    async readObjects() {
      const objects = join(storage, 'objects')
      const shards = await readdir(objects)
      const keys = await Promise.all(shards.map((shard) => readdir(join(objects, shard))))
      return [...keys.flat(), ...(await readdir(join(storage, 'trash')))].sort()
    },
    /** Simulates a disk that is not mounted. */
    async makeUnavailable() {
      const uploads = join(storage, 'uploads')
      await rename(uploads, `${uploads}-away`)
      return () => rename(`${uploads}-away`, uploads)
    },
    async assertHoldsOnly(objects, chunkSize) {
      assert.deepEqual(await readdir(join(storage, 'uploads')), [])
      assert.deepEqual(await readdir(join(storage, 'trash')), [])
      const files = await readdir(join(storage, 'objects'), { recursive: true })
      const expected = objects.flatMap(({ id, bytes }) => {
        const count = Math.max(1, Math.ceil(bytes / chunkSize))
        const numbers = Array.from({ length: count }, (_, index) => index + 1)
        return numbers.map((number) => join(id.slice(-2), id, String(number).padStart(5, '0')))
      })
      const folders = expected.map((path) => join(path, '..'))
      // The shard folders remain, even when they are empty.
      const found = files.filter((path) => !/^[0-9a-f]{2}$/.test(path))
      assert.deepEqual(found.toSorted(), [...new Set([...expected, ...folders])].toSorted())
    },
  }
}

/** A service with direct access to its storage. */
interface WithBackdoor {
  backdoor: StorageBackdoor
}

export function readObjects({ backdoor }: WithBackdoor): Promise<string[]> {
  return backdoor.readObjects()
}

export function makeStorageUnavailable({ backdoor }: WithBackdoor): Promise<() => Promise<void>> {
  return backdoor.makeUnavailable()
}

/** The storage's key and ID of a session's upload. */
export async function uploadInStorage(
  { context }: { context: Context },
  session: UploadSession,
): Promise<StorageUpload> {
  const account = await context.database.findAccount('default')
  const upload = await context.database.of(account?.id ?? '').findUpload(session.id)
  assert.ok(upload)
  return { key: session.id, id: upload.storageId }
}

/** Replaces an object directly in the storage, on disk or S3. Only the digest shows that the object has changed. */
export async function changeObject(
  { context }: { context: Context },
  key: string,
  bytes: Buffer,
): Promise<void> {
  const { storage, settings } = context
  await storage.removeObject(key)
  const plan = partPlan(bytes.length, settings.chunkSize)
  const id = await storage.createUpload({ key, id: randomUUID(), mime: 'text/plain' })
  const later = new Date(Date.now() + 3_600_000)
  const { urls } = await storage.signParts({ key, id }, partRanges(plan), later)
  for (const [index, { start, end }] of partRanges(plan).entries()) {
    const body = new Uint8Array(bytes.subarray(start, end))
    assert.equal((await fetch(urls[index] ?? '', { method: 'PUT', body })).status, 200)
  }
  assert.equal((await storage.completeUpload({ key, id }, plan, [])).outcome, 'completed')
}

/**
 * Flips one bit in the middle of the first part of an object, directly in the storage. On disk, changes the stored
 * file, as a failing disk does. An object on S3 cannot be changed in place, so it is stored again.
 */
export async function flipBit(
  service: { context: Context; folder: string },
  { key, bytes }: { key: string; bytes: number },
): Promise<void> {
  const { storage, settings } = service.context
  const plan = partPlan(bytes, settings.chunkSize)
  const at = Math.floor(Math.min(bytes, plan.chunkSize) / 2)
  if (isOnS3) {
    const chunks: Uint8Array[] = []
    for (let number = 1; number <= plan.count; number += 1) {
      for await (const chunk of storage.readPart({ key, plan }, number)) chunks.push(chunk)
    }
    const changed = Buffer.concat(chunks)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    return changeObject(service, key, changed)
  }
  const path = join(service.folder, 'storage', 'objects', key.slice(-2), key, '00001')
  const file = await open(path, 'r+')
  try {
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at)
    byte.writeUInt8(byte.readUInt8(0) ^ 1, 0)
    await file.write(byte, 0, 1, at)
  } finally {
    await file.close()
  }
}
