import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService, type TestService } from '@stowage/testing/service/service'
import { assertUsageConsistent } from '@stowage/testing/service/shop'
import { API, download, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { moveService } from '../../../src/move/move-service.ts'
import { readAsset, sha256Of, tryDownload, uploadDeclared } from '../../support/integrity.ts'
import {
  deleteVersion,
  downloadVersion,
  replaceFile,
  restore,
  versionsOf,
} from '../../support/versions.ts'

/* Runs on sqlite+disk and postgres+ceph. */

function move(source: TestService, target: TestService) {
  const { database, storage, secretKey, clock, newId } = target.context
  const { context } = source
  return moveService({
    source: { database: context.database, contents: context.storage, secretKey: context.secretKey },
    target: { database, storage, secretKey, chunkSize: target.context.settings.chunkSize },
    ahead: false,
    verify: true,
    skipDamaged: false,
    from: 'a folder',
    clock,
    newId,
    onProgress: () => {},
  })
}

test('a move copies all versions with their numbers and content, and can be repeated', async (t) => {
  const settings = { STOWAGE_KEEP_VERSIONS: '5' }
  const source = await aService(t, { ...settings, STOWAGE_CHUNK_SIZE: '10' })
  const target = await aService(t, { ...settings, STOWAGE_CHUNK_SIZE: '7' })
  const contents = [25, 32, 8, 0].map((size, index) => someBytes(size, index + 1))
  const { id } = await uploadFile(source.baseUrl, { bytes: contents[0] as Buffer })
  for (const bytes of contents.slice(1)) await replaceFile(source, id, { bytes })
  assert.equal((await restore(source, id, 2)).status, 200)
  assert.equal((await deleteVersion(source, id, 4)).status, 202)
  const other = await uploadFile(source.baseUrl, { bytes: contents[2] as Buffer })

  const moved = await move(source, target)
  assert.deepEqual([moved.assets, moved.bytes, moved.bytesSent], [2, 73, 73])
  assert.deepEqual(await versionsOf(target, id), await versionsOf(source, id))
  const path = `${API}/assets/${id}`
  assert.deepEqual(
    (await target.call('GET', path)).body.data,
    (await source.call('GET', path)).body.data,
  )
  for (const version of [1, 2, 3]) {
    assert.deepEqual(await downloadVersion(target, id, version), contents[version - 1])
  }
  assert.deepEqual(await download(target.baseUrl, id), contents[1])
  assert.deepEqual(await download(target.baseUrl, other.id), contents[2])
  const again = await move(source, target)
  assert.deepEqual([again.assets, again.bytes, again.bytesSent], [2, 73, 0])
  // Numbers continue after 4, the highest number that the source has used.
  assert.equal((await replaceFile(target, id, { bytes: contents[3] as Buffer })).version, 5)
  await assertUsageConsistent(target)
})

test('a file that is damaged in the source is damaged in the target, also if that is found after it was copied', async (t) => {
  const settings = { STOWAGE_CHECKSUMS: 'off' }
  const [source, target] = [await aService(t, settings), await aService(t, settings)]
  const bytes = someBytes(25)
  const { database } = source.context
  // The bytes that arrived are not those of the declared digest.
  const [first, second] = [
    await uploadDeclared(source, bytes, sha256Of(someBytes(26))),
    await uploadDeclared(source, bytes, sha256Of(someBytes(27))),
  ]
  const read = { sha256: sha256Of(bytes), dueAt: new Date(Date.now() + 3_600_000) }
  await database.recordVerification(first, read)
  await move(source, target)
  assert.equal((await tryDownload(target, first)).body.code, 'damaged')
  assert.equal((await readAsset(target, second)).damaged, false)
  await database.recordVerification(second, read)
  await move(source, target)
  assert.equal((await tryDownload(target, second)).body.code, 'damaged')
  assert.equal((await readAsset(target, second)).damaged, true)
})

test('a move compares the digests of older versions, and copies what is known about their damage', async (t) => {
  const settings = { STOWAGE_CHECKSUMS: 'off', STOWAGE_KEEP_VERSIONS: '5' }
  const [source, target] = [await aService(t, settings), await aService(t, settings)]
  const bytes = someBytes(25)
  const dueAt = new Date(Date.now() + 3_600_000)
  const read = { sha256: sha256Of(bytes), dueAt }
  /** The object of the older version has the ID of the asset as its key. */
  const withVersions = async (declared?: string) => {
    const id =
      declared === undefined
        ? (await uploadFile(source.baseUrl, { bytes })).id
        : await uploadDeclared(source, bytes, declared)
    await replaceFile(source, id, { bytes: someBytes(30) })
    return id
  }
  const wrong = sha256Of(someBytes(26))
  const damaged = await withVersions(wrong)
  const unread = await withVersions()
  await move(source, target)
  await source.context.database.recordVerification(damaged, read)
  // A digest that only one of them knows is no difference.
  await source.context.database.recordVerification(unread, read)
  await move(source, target)
  assert.deepEqual(
    (await versionsOf(target, damaged)).map((version) => version.damaged),
    [false, true],
  )
  const [, older] = await versionsOf(target, unread)
  assert.deepEqual([older?.damaged, older?.checksum?.sha256], [false, read.sha256])

  const different = await withVersions()
  await move(source, target)
  await source.context.database.recordVerification(different, read)
  await target.context.database.recordVerification(different, { sha256: wrong, dueAt })
  await assert.rejects(move(source, target), new RegExp(`differ from it: ${different} `))
})
