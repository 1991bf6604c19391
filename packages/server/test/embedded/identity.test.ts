import assert from 'node:assert/strict'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { aFolder } from '@stowage/testing/machine/clean-up'
import { anEmbeddedService } from '@stowage/testing/service/service'
import { aFailedStart } from '@stowage/testing/service/service-process'
import { stowage } from '@stowage/testing/service/stowage-command'
import { download, someBytes, uploadFile } from '@stowage/testing/service/upload'

const BYTES = someBytes(25)

/** The data folder of a stopped service with one file. */
async function aUsedFolder(t: TestContext) {
  const folder = await aFolder(t)
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  const { id } = await uploadFile(service.baseUrl, { bytes: BYTES })
  await service.close()
  return { folder, id, identity: join(folder, 'storage', 'identity') }
}

async function assertRefused(folder: string, why: RegExp): Promise<void> {
  const { code, stderr } = await aFailedStart({ STOWAGE_DATA: folder })
  assert.equal(code, 1)
  assert.match(stderr, /database and the storage do not belong together/)
  assert.match(stderr, why)
  assert.match(stderr, /stowage adopt/)
  assert.doesNotMatch(stderr, /^\s+at /m)
}

test('storage that belongs to another database is refused until it is adopted', async (t) => {
  const { folder, id } = await aUsedFolder(t)
  const other = await aUsedFolder(t)
  await rm(join(folder, 'storage'), { recursive: true })
  await cp(join(other.folder, 'storage'), join(folder, 'storage'), { recursive: true })
  await assertRefused(folder, /the storage belongs to the database \w+, but this is/)

  const settings = { STOWAGE_DATA: folder }
  const examined = await stowage(settings, 'doctor', '--repair')
  assert.equal(examined.code, 1)
  assert.match(examined.stdout, /^ERROR +storage: it does not belong to this database/m)
  assert.match(examined.stdout, /were not compared/)
  assert.doesNotMatch(examined.stdout, /^fixed/m)

  const unasked = await stowage(settings, 'adopt')
  assert.equal(unasked.code, 2)
  assert.match(unasked.stderr, /--yes/)
  const adopted = await stowage(settings, 'adopt', '--yes')
  assert.deepEqual(
    [adopted.code, adopted.stdout],
    [0, 'The storage is now bound to this database.\n'],
  )
  const again = await stowage(settings, 'adopt', '--yes', '--json')
  assert.deepEqual(JSON.parse(again.stdout), { outcome: 'unchanged' })
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  assert.equal((await fetch(`${service.baseUrl}/api/v1/assets/${id}`)).status, 200)
})

test('empty storage, as with a disk that is not mounted, is refused', async (t) => {
  const { folder, id } = await aUsedFolder(t)
  const away = join(folder, 'away')
  await cp(join(folder, 'storage'), away, { recursive: true })
  await rm(join(folder, 'storage'), { recursive: true })
  await assertRefused(folder, /the storage has no identity.*not mounted/)
  await rm(join(folder, 'storage'), { recursive: true })
  await cp(away, join(folder, 'storage'), { recursive: true })
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
})

test('a database that belongs to other storage is refused', async (t) => {
  const { folder, identity } = await aUsedFolder(t)
  const text = await readFile(identity, 'utf8')
  await writeFile(identity, text.replace(/"storage":"[^"]+"/, '"storage":"another"'))
  await assertRefused(
    folder,
    /the database belongs to the storage .*, but this is the storage another/,
  )
})

test('an unreadable identity prevents the start, and the error names its file', async (t) => {
  const { folder, identity } = await aUsedFolder(t)
  await writeFile(identity, 'nonsense')
  const { code, stderr } = await aFailedStart({ STOWAGE_DATA: folder })
  assert.equal(code, 1)
  assert.ok(stderr.includes(`${identity} does not contain a storage identity`), stderr)
})

test('if a start is killed between writing the two identities, the next start succeeds', async (t) => {
  const { folder, id } = await aUsedFolder(t)
  const database = new DatabaseSync(join(folder, 'stowage.db'))
  database.exec('update identity set storage_id = null')
  database.close()
  const service = await anEmbeddedService(t, { STOWAGE_DATA: folder })
  assert.deepEqual(await download(service.baseUrl, id), BYTES)
})
