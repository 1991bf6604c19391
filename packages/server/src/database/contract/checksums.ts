import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Integrity, NOT_VERIFIED } from '../../domain/asset.ts'
import type { AccountData } from '../account-data.ts'
import type { Database, VerificationQueue } from '../database.ts'
import {
  addToken,
  anAccount,
  aReadyAsset,
  type Contract,
  inHours,
  KEEP,
  KEPT,
  NEWEST,
  numbersOf,
  replace,
  reserve,
  reserveWith,
  startReplacement,
  usageOf,
} from './builders.ts'
import { checkEvents, readEvents } from './check-events.ts'

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

/** Claims the next withheld object after this account, of these sizes. */
function claimWithheld(
  database: Database,
  {
    after,
    minBytes = 0,
    maxBytes = 1e6,
    now = new Date(),
  }: { after?: string | undefined; minBytes?: number; maxBytes?: number; now?: Date } = {},
) {
  const times = { now, latest: inHours(24 * 40), claimedUntil: inHours(1) }
  return database.claimWithheld(times, { after, minBytes, maxBytes })
}

/** Claims the only object that is withheld, and records its digest. */
async function compare(database: Database, sha256: string, keepVersions = 0) {
  const object = await claimWithheld(database, { now: inHours(48) })
  assert.ok(object)
  return database.recordVerification(object.key, { sha256, dueAt: inHours(240), keepVersions })
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
    assert.equal(await claimWithheld(database, { now: inHours(48) }), undefined)
    await data.beginCompletion(upload.asset.id, KEPT)
    await data.finishCompletion(upload.asset.id, KEEP)
    const withheld = { ...declared, isWithheld: true }
    assert.deepEqual(await integrityOf(data, upload.asset.id), withheld)
    assert.deepEqual(await compare(database, OTHER), { ...withheld, isDamaged: true })
    assert.equal(await claimWithheld(database, { now: inHours(480) }), undefined)
    assert.equal((await claim(database, 'damaged', inHours(480))).length, 1)
    await data.deleteAsset(upload.asset.id)
    const right = await aReadyAsset(data, { sha256: DIGEST })
    const { isDamaged, isWithheld, sha256 } = (await compare(database, DIGEST)) ?? NOT_VERIFIED
    assert.deepEqual([isDamaged, isWithheld, sha256], [false, false, DIGEST])
    assert.equal((await integrityOf(data, right))?.isWithheld, false)
    assert.equal(await claimWithheld(database, { now: inHours(480) }), undefined)
  })

  test(
    name('a completion that has read the bytes records the same as a job that reads them later'),
    async (t) => {
      const results: unknown[] = []
      for (const isEarly of [true, false]) {
        const { database, data, account } = await open(t)
        const read = { sha256: DIGEST, crc32: 7, nextReadMs: 3_600_000 }
        const finish = async (id: string) => {
          await data.beginCompletion(id, KEPT)
          const options = { keepVersions: 0, withhold: true, ...(isEarly && { read }) }
          assert.equal(await data.finishCompletion(id, options), 'ready')
          const { nextReadMs: _, ...hashes } = read
          const result = { ...hashes, dueAt: inHours(1), keepVersions: 0 }
          if (!isEarly) await database.recordVerification(id, result)
        }
        const ids: string[] = []
        for (const sha256 of [undefined, DIGEST, OTHER]) {
          const { upload } = await reserve(data, { size: 10, ...(sha256 && { sha256 }) })
          await finish(upload.asset.id)
          ids.push(upload.asset.id)
          for (const replacement of [DIGEST, OTHER]) {
            const { id } = await startReplacement(data, upload.asset.id, { sha256: replacement })
            await finish(id)
          }
        }
        const token = await addToken(data)
        const byToken = await reserveWith(data, token.id)
        await finish(byToken.id)
        ids.push(byToken.id)
        const versions = await Promise.all(ids.map((id) => data.listVersions(id)))
        const keys = versions.flatMap((list) => (list ?? []).map(({ key }) => key))
        const objects = await database.readObjects(keys)
        const crc32s = new Map(objects.map(({ key, crc32 }) => [key, crc32]))
        results.push({
          versions: versions.map((list) =>
            list?.map(({ version, isCurrent, integrity }) => ({
              version,
              isCurrent,
              integrity: { ...integrity, verifiedAt: integrity.verifiedAt !== null },
            })),
          ),
          crc32s: keys.map((key) => crc32s.get(key)),
          events: (await readEvents(data)).map(({ type }) => type).sort(),
          usage: await usageOf(data),
          isNew: [await claim(database), await claimWithheld(database)],
          damaged: (await claim(database, 'damaged', inHours(2))).length,
          scrubbed: (await claim(database, 'scrub', inHours(2))).length,
          scrubbedBefore: await claim(database, 'scrub'),
        })
        await checkEvents(database, account.id)
      }
      assert.deepEqual(results[0], results[1])
    },
  )

  test(
    name('a file with a declared digest that is completed without checksums is not withheld'),
    async (t) => {
      const { database, data } = await open(t)
      const { upload } = await reserve(data, { sha256: DIGEST })
      await data.beginCompletion(upload.asset.id, KEPT)
      await data.finishCompletion(upload.asset.id, { ...KEEP, withhold: false })
      assert.equal((await integrityOf(data, upload.asset.id))?.isWithheld, false)
      assert.equal(await claimWithheld(database), undefined)
      assert.equal((await verify(database, OTHER))?.isDamaged, true)
    },
  )

  test(
    name('withheld files are claimed smallest first, and the accounts take turns'),
    async (t) => {
      const { database, data: ours } = await open(t, { planStorage: 10_000 })
      const theirs = database.of((await anAccount(database, 'other', 10_000)).id)
      const sizes = new Map<string, string>()
      for (const [owner, data] of Object.entries({ ours, theirs })) {
        for (const size of [500, 300, 70, 400]) {
          sizes.set(await aReadyAsset(data, { size, sha256: DIGEST }), `${owner} ${size}`)
        }
      }
      const claimed: string[] = []
      const take = async (options: Parameters<typeof claimWithheld>[1]) => {
        const object = await claimWithheld(database, options)
        claimed.push(sizes.get(object?.key ?? '') ?? 'none')
        return object?.accountId
      }
      // Only the smallest files, however many large ones wait.
      await take({ maxBytes: 100, after: await take({ maxBytes: 100 }) })
      await take({ maxBytes: 100 })
      let after: string | undefined
      for (let count = 0; count < 7; count += 1) after = await take(after ? { after } : {})
      assert.deepEqual(claimed, [
        ...['ours 70', 'theirs 70', 'none'],
        ...['ours 300', 'theirs 300', 'ours 400', 'theirs 400', 'ours 500', 'theirs 500', 'none'],
      ])
      // A claim expires.
      await take({ now: inHours(2) })
      await take({ now: inHours(2), minBytes: 400 })
      await take({ now: inHours(2), minBytes: 71, maxBytes: 299 })
      assert.deepEqual(claimed.slice(-3), ['ours 70', 'ours 400', 'none'])
    },
  )

  test(name('two instances claim different withheld files'), async (t) => {
    const { database, data } = await open(t)
    for (let count = 0; count < 10; count += 1) await aReadyAsset(data, { sha256: DIGEST })
    const claims = await Promise.all(Array.from({ length: 10 }, () => claimWithheld(database)))
    // An instance may find none while another one is claiming the same object.
    const keys = claims.flatMap((object) => object?.key ?? [])
    for (;;) {
      const object = await claimWithheld(database)
      if (object === undefined) break
      keys.push(object.key)
    }
    assert.deepEqual([keys.length, new Set(keys).size], [10, 10])
  })

  test(
    name('downloads get the previous version until the new one has its declared digest'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const id = await aReadyAsset(data, { size: 60, filename: 'first' })
      const served = async () => {
        const version = await data.findServedVersion(id)
        return version && [version.version, version.filename, version.bytes, version.isCurrent]
      }
      assert.deepEqual(await served(), [1, 'first', 60, true])
      const facts = { filename: 'second', keepsName: false, size: 20, sha256: DIGEST }
      const second = await replace(data, id, facts, 0)
      assert.equal((await data.findAsset(id))?.version, 2)
      assert.deepEqual(await served(), [1, 'first', 60, false])
      assert.deepEqual(await numbersOf(data, id), ['2*', '1'])
      assert.equal((await usageOf(data)).stored, 80)
      assert.deepEqual(await database.listRemovals(10), [])
      // The first version is kept although none should be, and is removed when downloads get the second one.
      await compare(database, DIGEST, 0)
      assert.deepEqual(await served(), [2, 'second', 20, true])
      assert.deepEqual(await numbersOf(data, id), ['2*'])
      assert.equal((await usageOf(data)).stored, 20)
      const keys = (await database.listRemovals(10)).map(({ key }) => key)
      assert.deepEqual(keys, [id])
      assert.notEqual(second, id)
      for (const { counted, actual } of await database.compareUsage()) {
        assert.deepEqual(counted, actual)
      }
      const theirs = database.of((await anAccount(database, 'other')).id)
      assert.equal(await theirs.findServedVersion(id), undefined)
    },
  )

  test(
    name(
      'a version that differs from its declared digest never replaces the one that downloads get',
    ),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const id = await aReadyAsset(data, { size: 60 })
      const served = async () => (await data.findServedVersion(id))?.version
      await replace(data, id, { size: 10, sha256: DIGEST }, 0)
      await compare(database, OTHER, 0)
      assert.equal((await data.findAsset(id))?.integrity.isDamaged, true)
      assert.deepEqual([await served(), await numbersOf(data, id)], [1, ['2*', '1']])
      // Two more replacements, the second while the first is compared.
      const third = await replace(data, id, { size: 10, sha256: DIGEST }, 0)
      await replace(data, id, { size: 10, sha256: OTHER }, 0)
      assert.deepEqual([await served(), await numbersOf(data, id)], [1, ['4*', '1']])
      const result = { sha256: DIGEST, dueAt: inHours(1), keepVersions: 0 }
      const gone = await database.recordVerification(third, result)
      assert.equal(gone?.isWithheld, false)
      assert.equal(await served(), 1)
      await compare(database, OTHER, 0)
      assert.deepEqual([await served(), await numbersOf(data, id)], [4, ['4*']])
      for (const { counted, actual } of await database.compareUsage()) {
        assert.deepEqual(counted, actual)
      }
    },
  )

  test(
    name('a version that was replaced while it was compared is served when it has its digest'),
    async (t) => {
      const { database, account, data } = await open(t, { planStorage: 1000 })
      const id = await aReadyAsset(data, { size: 10 })
      const served = async () => (await data.findServedVersion(id))?.version
      const second = await replace(data, id, { size: 10, sha256: DIGEST }, 2)
      await replace(data, id, { size: 10, sha256: OTHER }, 2)
      assert.equal(await served(), 1)
      const result = { sha256: DIGEST, dueAt: inHours(240), keepVersions: 1 }
      await database.recordVerification(second, result)
      assert.deepEqual([await served(), await numbersOf(data, id)], [2, ['3*', '2']])
      // Nothing in the trash is downloaded. The version that was kept for downloads is removed all the same.
      await data.trashAssets([id])
      await compare(database, OTHER, 0)
      assert.equal(await served(), undefined)
      for (const { counted, actual } of await database.compareUsage()) {
        assert.deepEqual(counted, actual)
      }
      await data.restoreAssets([id])
      assert.deepEqual([await served(), await numbersOf(data, id)], [3, ['3*']])
      // The job that compares files has removed the versions.
      await checkEvents(database, account.id)
      const removals = (await readEvents(data)).filter(({ type }) => type === 'version.deleted')
      assert.deepEqual(
        removals.map(({ actor }) => actor.type),
        ['job', 'job'],
      )
      for (const { counted, actual } of await database.compareUsage()) {
        assert.deepEqual(counted, actual)
      }
    },
  )

  test(
    name('a read that does not know how many versions are kept leaves the release to the next one'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const id = await aReadyAsset(data, { size: 10 })
      const second = await replace(data, id, { size: 10, sha256: DIGEST }, 0)
      // Also after its bytes were wrong.
      for (const sha256 of [DIGEST, OTHER, DIGEST]) {
        const read = await database.recordVerification(second, { sha256, dueAt: inHours(240) })
        assert.deepEqual([read?.isWithheld, read?.isDamaged], [true, sha256 === OTHER])
        assert.equal((await data.findServedVersion(id))?.version, 1)
      }
      assert.deepEqual(await claim(database, 'damaged', inHours(480)), [])
      const object = await claimWithheld(database, { now: inHours(0.1) })
      assert.equal(object?.key, second)
      const result = { sha256: DIGEST, dueAt: inHours(240), keepVersions: 0 }
      assert.equal((await database.recordVerification(second, result))?.isWithheld, false)
      assert.deepEqual(await numbersOf(data, id), ['2*'])
      for (const { counted, actual } of await database.compareUsage()) {
        assert.deepEqual(counted, actual)
      }
    },
  )

  test(name('a file can be released without a comparison'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const id = await aReadyAsset(data, { size: 10 })
    const second = await replace(data, id, { size: 10, sha256: DIGEST }, 0)
    await database.releaseWithheld(second, { keepVersions: 0 })
    await database.releaseWithheld(second, { keepVersions: 0 })
    assert.deepEqual(await numbersOf(data, id), ['2*'])
    assert.equal((await data.findServedVersion(id))?.integrity.verifiedAt, null)
    assert.equal(await claimWithheld(database, { now: inHours(48) }), undefined)
    assert.ok((await claim(database)).some(({ key }) => key === second))
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
    const repaired = { ...NOT_VERIFIED, sha256: DIGEST, verifiedAt }
    assert.deepEqual(await importAs({ verifiedAt }), repaired)
    assert.deepEqual(await claim(target.database, 'damaged', inHours(48)), [])
  })

  test(
    name('an import withholds the files that were withheld, and compares them first'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const id = await aReadyAsset(data)
      await replace(data, id, { sha256: DIGEST })
      const [record] = await database.listRecords(undefined, 10)
      assert.ok(record)
      const target = await open(t, { planStorage: 1000 })
      const asset = { ...record.asset, accountId: target.account.id }
      await target.data.importRecords({ keys: [], assets: [{ ...record, asset }] })
      assert.equal((await target.data.findServedVersion(id))?.version, 1)
      assert.equal((await claimWithheld(target.database))?.accountId, target.account.id)
    },
  )
}
