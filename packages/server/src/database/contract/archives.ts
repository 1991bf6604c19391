import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { AccountData } from '../account-data.ts'
import type { ArchiveLimits, NewArchive } from '../archive-data.ts'
import type { Database } from '../database.ts'
import { aLink, anAccount, aReadyAsset, type Contract, inHours, NOON, replace } from './builders.ts'

const LIMITS: ArchiveLimits = { keptForMs: 3_600_000, maxArchives: 100, maxLength: 1000 }

function anArchive(facts: Partial<NewArchive> = {}): NewArchive {
  const id = newUuid()
  return {
    id,
    filename: 'files.zip',
    bytes: 2 ** 45,
    etag: `etag of ${id}`,
    files: 3,
    links: 1,
    keyId: null,
    selection: `selection of ${id}`,
    segments: [
      { number: 0, start: 0, directoryStart: 2 ** 44, entries: 2, content: '["ä", 1]' },
      { number: 1, start: 2 ** 43, directoryStart: 2 ** 44 + 9, entries: 2, content: '[2]' },
    ],
    ...facts,
  }
}

async function add(data: AccountData, facts?: Partial<NewArchive>, limits = {}): Promise<string> {
  return (await data.addArchive(anArchive(facts), { ...LIMITS, ...limits })).id
}

async function existing(database: Database, ids: string[]): Promise<boolean[]> {
  return Promise.all(ids.map(async (id) => (await database.findArchive(id)) !== undefined))
}

export function testArchives({ name, open }: Contract): void {
  test(name('an archive is stored with its segments'), async (t) => {
    const { database, account, data } = await open(t)
    const { segments, selection, keyId, ...archive } = anArchive()
    const stored = { ...archive, accountId: account.id }
    assert.deepEqual(
      await data.addArchive({ ...archive, segments, selection, keyId }, LIMITS),
      stored,
    )
    assert.deepEqual(await database.findArchive(archive.id), { ...stored, isRevoked: false })
    const listed = segments.map(({ content, ...segment }) => segment)
    assert.deepEqual(await database.listArchiveSegments(archive.id), listed)
    assert.equal(await database.readArchiveSegment(archive.id, 0), '["ä", 1]')
    assert.equal(await database.readArchiveSegment(archive.id, 2), undefined)
    assert.equal(await database.findArchive(newUuid()), undefined)
  })

  test(name('the same selection returns the first archive, and keeps it for longer'), async (t) => {
    const { database, data } = await open(t)
    const selection = 'the same'
    const ids = await Promise.all([1, 2, 3].map(() => add(data, { selection })))
    const [first = ''] = ids
    assert.deepEqual(new Set(ids).size, 1)
    assert.deepEqual(await existing(database, [first]), [true])
    assert.equal((await database.listArchiveSegments(first)).length, 2)
    const other = database.of((await anAccount(database, 'other')).id)
    assert.notEqual(await add(other, { selection }), first)
    // One that has expired is replaced.
    const expired = await add(data, { selection: 'another' }, { keptForMs: -1000 })
    assert.deepEqual(await existing(database, [expired]), [false])
    assert.notEqual(await add(data, { selection: 'another' }), expired)
  })

  test(name('the archives that were requested least recently give way to new ones'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    const foreign = await add(other)
    const [oldest, renewed] = [await add(data), await add(data, { selection: 'b' })]
    const third = await add(data)
    await new Promise((resolve) => setTimeout(resolve, 5))
    assert.equal(await add(data, { selection: 'b' }), renewed)
    await new Promise((resolve) => setTimeout(resolve, 5))
    const last = await add(data, {}, { maxArchives: 2 })
    const ids = [oldest, third, renewed, last, foreign]
    assert.deepEqual(await existing(database, ids), [false, false, true, true, true])
    // Each has 11 characters. The new one is never removed.
    const long = await add(data, {}, { maxLength: 5 })
    assert.deepEqual(await existing(database, [renewed, last, long]), [false, false, true])
  })

  test(name('archives are forgotten when they have expired'), async (t) => {
    const { database, data } = await open(t)
    const kept = await add(data)
    const ahead = 400 * 24 * 3_600_000
    for (const keptForMs of [-1, -2, ahead]) await add(data, {}, { keptForMs })
    assert.equal(await database.forgetArchives(2), 2)
    assert.equal(await database.forgetArchives(2), 1)
    assert.equal(await database.forgetArchives(2), 0)
    assert.deepEqual(await existing(database, [kept]), [true])
  })

  test(name('an archive ends with the key that created it'), async (t) => {
    const { database, data } = await open(t)
    const secret = { hash: 'hash', hint: 'abcd' }
    const id = newUuid()
    await data.addKey({ id, name: 'shop', scope: 'read', createdAt: NOON, ...secret }, 10)
    const archive = await add(data, { keyId: id })
    assert.equal((await database.findArchive(archive))?.isRevoked, false)
    await data.revokeKey(id, { now: new Date(), keepLast: false })
    assert.equal((await database.findArchive(archive))?.isRevoked, true)
    const unknown = await add(data, { keyId: newUuid() })
    assert.equal((await database.findArchive(unknown))?.isRevoked, true)
  })

  test(
    name('only ready assets of the account can be archived, in the order of their IDs'),
    async (t) => {
      const { database, data } = await open(t)
      const first = await aReadyAsset(data, { size: 10 })
      const link = await aLink(data)
      const replaced = await aReadyAsset(data, { size: 20 })
      const key = await replace(data, replaced)
      const trashed = await aReadyAsset(data)
      await data.trashAssets([trashed])
      const ids = [first, link, replaced, trashed, newUuid()]
      const found = await data.findArchivedAssets(ids.toReversed())
      const expected = [first, link, replaced].sort()
      assert.deepEqual(
        found.map(({ asset }) => asset.id),
        expected,
      )
      const keys = new Map(found.map(({ asset, file }) => [asset.id, file?.key]))
      assert.deepEqual(
        [first, link, replaced].map((id) => keys.get(id)),
        [first, undefined, key],
      )
      const other = database.of((await anAccount(database, 'other')).id)
      assert.deepEqual(await other.findArchivedAssets(ids), [])
    },
  )

  test(name('the CRC-32 of an object is stored with its SHA-256'), async (t) => {
    const { database, data } = await open(t)
    const key = await aReadyAsset(data, { size: 10 })
    const crcOf = async () => (await database.readObjects([key]))[0]?.crc32
    assert.equal(await crcOf(), undefined)
    const dueAt = inHours(24)
    await database.recordVerification(key, { sha256: 'a'.repeat(64), crc32: 0xffff_fffe, dueAt })
    assert.equal(await crcOf(), 0xffff_fffe)
    // A read that found other bytes does not change it.
    await database.recordVerification(key, { sha256: 'b'.repeat(64), crc32: 7, dueAt })
    assert.equal(await crcOf(), 0xffff_fffe)
    const [archived] = await data.findArchivedAssets([key])
    assert.equal(archived?.file?.crc32, 0xffff_fffe)
    const streamed = await aReadyAsset(data, { size: 10 })
    await database.keepCrc32(streamed, 5)
    await database.keepCrc32(streamed, 6)
    assert.equal((await database.readObjects([streamed]))[0]?.crc32, 5)
    await database.keepCrc32(newUuid(), 1)
  })

  test(name('an object is kept as long as a version of a ready asset needs it'), async (t) => {
    const { database, data } = await open(t)
    const first = await aReadyAsset(data, { size: 10 })
    const second = await replace(data, first)
    const isKept = async (...keys: string[]) => {
      const states = await database.readObjects(keys)
      const kept = keys.map((key) => states.find((state) => state.key === key)?.isKept)
      assert.equal(await database.countIntactObjects(keys), kept.filter(Boolean).length)
      return kept
    }
    assert.deepEqual(await isKept(first, second), [true, true])
    const third = await replace(data, first)
    assert.deepEqual(await isKept(first, second, third), [false, true, true])
    await data.trashAssets([first])
    assert.deepEqual(await isKept(second, third), [false, false])
    await data.restoreAssets([first])
    assert.deepEqual(await isKept(second, third, newUuid()), [true, true, undefined])
    await database.recordVerification(third, { sha256: null, dueAt: inHours(1) })
    const [state] = await database.readObjects([third])
    assert.deepEqual([state?.isKept, state?.isDamaged], [true, true])
    assert.equal(await database.countIntactObjects([second, third]), 1)
  })
}
