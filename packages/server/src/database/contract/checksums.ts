import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Integrity, NOT_VERIFIED } from '../../domain/asset.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import type { VerificationQueue } from '../verification-data.ts'
import { aReadyAsset, type Contract, inHours, KEEP, KEPT, NEWEST, reserve } from './builders.ts'
import { replace } from './replacement-builders.ts'

const DIGEST = 'a'.repeat(64)
const OTHER = 'b'.repeat(64)

function claim(database: Database, queue: VerificationQueue = 'new', now = new Date()) {
  const latest = inHours(24 * 40)
  return database.claimVerifications(queue, { now, latest, claimedUntil: inHours(1) }, 10)
}

/** Claims the only object that is due, and records its digest. */
async function verify(database: Database, sha256: string | null, queue: VerificationQueue = 'new') {
  const [object, ...others] = await claim(database, queue, inHours(48))
  assert.deepEqual(others, [])
  assert.ok(object)
  return database.recordVerification(object.key, { sha256, dueAt: inHours(24) })
}

async function integrityOf(data: AccountData, id: string) {
  const { rows } = await data.listAssets({ page: 1, perPage: 10, sort: NEWEST })
  const listed = rows.find((row) => row.id === id)?.integrity
  assert.deepEqual((await data.findAsset(id))?.integrity, listed)
  assert.deepEqual((await data.findUpload(id))?.asset.integrity, listed)
  return listed
}

export function testChecksums({ name, open }: Contract): void {
  test(name('a completed file is verified once, and its digest is shown everywhere'), async (t) => {
    const { database, data } = await open(t)
    const { upload } = await reserve(data, { size: 60 })
    assert.deepEqual(await claim(database), [])
    const { id } = upload.asset
    await data.beginCompletion(id, KEPT)
    await data.finishCompletion(id, KEEP)
    assert.deepEqual(await integrityOf(data, id), NOT_VERIFIED)
    assert.deepEqual(await claim(database), [{ key: id, bytes: 60, chunkSize: 100 }])
    // Another instance finds nothing.
    assert.deepEqual(await claim(database), [])
    const dueAt = inHours(24)
    const before = Date.now()
    const recorded = await database.recordVerification(id, { sha256: DIGEST, dueAt })
    assert.equal(recorded?.sha256, DIGEST)
    assert.equal(recorded.isDamaged, false)
    assert.ok(Math.abs((recorded.verifiedAt?.getTime() ?? 0) - before) < 60_000)
    assert.deepEqual(await integrityOf(data, id), recorded)
    assert.deepEqual((await data.listVersions(id))?.[0]?.integrity, recorded)
    // A verified file is only read again by the scrub, when it is due.
    assert.deepEqual(await claim(database, 'new', inHours(48)), [])
    assert.deepEqual(await claim(database, 'scrub'), [])
    assert.equal((await claim(database, 'scrub', inHours(25))).length, 1)
  })

  test(name('two instances claim different objects'), async (t) => {
    const { database, data } = await open(t)
    for (let index = 0; index < 20; index += 1) await aReadyAsset(data)
    const claims = await Promise.all([claim(database), claim(database)])
    const keys = claims.flat().map(({ key }) => key)
    assert.equal(new Set(keys).size, keys.length)
    assert.equal(keys.length + (await claim(database)).length, 20)
  })

  test(name('a claim expires, even if it was set by a wrong clock'), async (t) => {
    const { database, data } = await open(t)
    const key = await aReadyAsset(data)
    assert.equal((await claim(database)).length, 1)
    assert.equal((await claim(database, 'new', inHours(2))).length, 1)
    await database.postponeVerification(key, new Date(Date.now() - 1))
    assert.equal((await claim(database)).length, 1)
    await database.postponeVerification(key, inHours(24 * 400))
    assert.equal((await claim(database)).length, 1)
  })

  test(
    name('a file is damaged as long as its digest differs from that of the first read'),
    async (t) => {
      const { database, data } = await open(t)
      const id = await aReadyAsset(data)
      const first = await verify(database, DIGEST)
      const damaged = { ...first, isDamaged: true }
      assert.deepEqual(await verify(database, OTHER, 'scrub'), damaged)
      assert.deepEqual(await integrityOf(data, id), damaged)
      assert.deepEqual(await verify(database, null, 'scrub'), damaged)
      const repaired = await verify(database, DIGEST, 'scrub')
      assert.equal(repaired?.isDamaged, false)
      assert.ok((repaired.verifiedAt ?? 0) >= (first?.verifiedAt ?? 0))
    },
  )

  test(name('a file that could not be read at all is damaged without a digest'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data)
    const damaged = { ...NOT_VERIFIED, isDamaged: true }
    assert.deepEqual(await verify(database, null), damaged)
    assert.deepEqual(await integrityOf(data, id), damaged)
  })

  test(
    name('a damaged file is due at its own time, whether or not other files are due'),
    async (t) => {
      const { database, data } = await open(t)
      const [damaged, later, intact] = [
        await aReadyAsset(data),
        await aReadyAsset(data),
        await aReadyAsset(data),
      ]
      await database.recordVerification(damaged, { sha256: null, dueAt: inHours(2) })
      await database.recordVerification(later, { sha256: null, dueAt: inHours(3) })
      await database.recordVerification(intact, { sha256: DIGEST, dueAt: inHours(1) })
      const claimOne = async (queue: VerificationQueue, hours: number) => {
        const times = {
          now: inHours(hours),
          latest: inHours(24 * 40),
          claimedUntil: inHours(hours + 1),
        }
        return (await database.claimVerifications(queue, times, 1)).map(({ key }) => key)
      }
      assert.deepEqual(await claimOne('damaged', 1.9), [])
      // The longest overdue file is claimed first, and a claimed file is skipped.
      assert.deepEqual(await claimOne('damaged', 3.1), [damaged])
      assert.deepEqual(await claimOne('damaged', 3.1), [later])
      assert.deepEqual(await claimOne('damaged', 3.1), [])
      assert.deepEqual(await claimOne('scrub', 3.1), [intact])
      assert.deepEqual(await claimOne('scrub', 3.1), [])
      await database.recordVerification(damaged, { sha256: DIGEST, dueAt: inHours(5) })
      await database.postponeVerification(later, inHours(6))
      assert.deepEqual(await claimOne('damaged', 5.5), [])
      assert.deepEqual(await claimOne('damaged', 6.5), [later])
    },
  )

  test(name('a declared digest is compared with the first read'), async (t) => {
    const { database, data } = await open(t)
    const declared = { ...NOT_VERIFIED, sha256: DIGEST }
    const { upload } = await reserve(data, { sha256: DIGEST })
    assert.deepEqual((await data.findAsset(upload.asset.id))?.integrity, declared)
    assert.deepEqual(await claim(database, 'new', inHours(48)), [])
    await data.beginCompletion(upload.asset.id, KEPT)
    await data.finishCompletion(upload.asset.id, KEEP)
    assert.deepEqual(await integrityOf(data, upload.asset.id), declared)
    assert.deepEqual(await verify(database, OTHER), { ...declared, isDamaged: true })
    await data.deleteAsset(upload.asset.id)
    const right = await aReadyAsset(data, { sha256: DIGEST })
    await database.postponeVerification(upload.asset.id, inHours(1000))
    assert.equal((await verify(database, DIGEST))?.isDamaged, false)
    assert.equal((await integrityOf(data, right))?.sha256, DIGEST)
  })

  test(name('dropping a reservation deletes its declared digest'), async (t) => {
    const { database, data } = await open(t)
    const { upload } = await reserve(data, { sha256: DIGEST })
    await data.dropReservation(upload.asset.id)
    const again = { ...upload, asset: { ...upload.asset } }
    const { outcome } = await data.reserveUpload({ upload: again, ...KEPT })
    assert.equal(outcome, 'reserved')
    assert.deepEqual(await database.listRemovals(10), [])
  })

  test(name('each version keeps its own digest when another one becomes current'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data)
    await verify(database, DIGEST)
    await replace(data, id)
    const [second] = await claim(database)
    assert.notEqual(second?.key, id)
    await database.recordVerification(second?.key ?? '', { sha256: OTHER, dueAt: inHours(24) })
    const digests = async () =>
      (await data.listVersions(id))?.map(({ integrity }) => integrity.sha256)
    assert.deepEqual(await digests(), [OTHER, DIGEST])
    assert.equal((await integrityOf(data, id))?.sha256, OTHER)
    const restored = await data.restoreVersion(id, 1)
    assert.equal(restored.outcome === 'restored' && restored.asset.integrity.sha256, DIGEST)
    assert.deepEqual(await digests(), [OTHER, DIGEST])
  })

  test(name('a removed object is no longer verified'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data)
    assert.equal((await claim(database)).length, 1)
    await data.deleteAsset(id)
    for (const { id: removal } of await database.listRemovals(10)) {
      await database.finishRemoval(removal)
    }
    // A job that was reading the object records nothing, and does not add the row again.
    assert.equal(
      await database.recordVerification(id, { sha256: DIGEST, dueAt: inHours(24) }),
      undefined,
    )
    await database.postponeVerification(id, new Date(0))
    assert.deepEqual(await claim(database, 'new', inHours(48)), [])
    assert.deepEqual(await claim(database, 'scrub', inHours(48)), [])
  })

  test(name('the object of a superseded version is verified until its removal'), async (t) => {
    const { database, data } = await open(t)
    const id = await aReadyAsset(data)
    for (let count = 0; count < 2; count += 1) await replace(data, id)
    assert.equal((await claim(database)).length, 3)
    for (const { id: removal } of await database.listRemovals(10)) {
      await database.finishRemoval(removal)
    }
    assert.equal((await claim(database, 'new', inHours(48))).length, 2)
    assert.equal((await data.listVersions(id))?.length, 2)
  })

  test(name('an import keeps the digests, and queues the objects behind new ones'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const id = await aReadyAsset(data)
    await verify(database, DIGEST)
    await replace(data, id)
    await verify(database, OTHER)
    const [record] = await database.listRecords(undefined, 10)
    assert.ok(record)
    assert.equal(record.versions[0]?.integrity.sha256, DIGEST)
    assert.equal(record.asset.integrity.sha256, OTHER)
    const target = await open(t, { planStorage: 1000 })
    const asset = { ...record.asset, accountId: target.account.id }
    await target.data.importRecords({ keys: [], assets: [{ ...record, asset }] })
    const [imported] = await target.database.listRecords(undefined, 10)
    assert.deepEqual(imported, { ...record, asset })
    assert.deepEqual(await claim(target.database), [])
    assert.equal((await claim(target.database, 'backlog')).length, 2)
  })

  test(name('an import marks damaged files, also those of existing assets'), async (t) => {
    const { database, data } = await open(t)
    await aReadyAsset(data)
    const [record] = await database.listRecords(undefined, 10)
    assert.ok(record)
    const target = await open(t)
    const importAs = async (integrity: Partial<Integrity>) => {
      const known = { ...record.asset.integrity, ...integrity }
      const asset = { ...record.asset, accountId: target.account.id, integrity: known }
      await target.data.importRecords({ keys: [], assets: [{ ...record, asset }] })
      return (await target.database.listRecords(undefined, 10))[0]?.asset.integrity
    }
    const damaged = { sha256: DIGEST, isDamaged: true }
    assert.partialDeepStrictEqual(await importAs({ isDamaged: true }), { isDamaged: true })
    assert.partialDeepStrictEqual(await importAs(damaged), damaged)
    assert.equal((await claim(target.database, 'damaged')).length, 1)
    const verifiedAt = new Date(0)
    assert.deepEqual(await importAs({ verifiedAt }), { ...damaged, verifiedAt, isDamaged: false })
    assert.deepEqual(await claim(target.database, 'damaged', inHours(48)), [])
  })
}
