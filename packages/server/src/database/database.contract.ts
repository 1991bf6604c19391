import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { cleanUp } from '../../test/support/clean-up.ts'
import type { Upload } from '../domain/asset.ts'
import { foldText } from '../domain/search-text.ts'
import type { Account, Database } from './database.ts'

export type OpenDatabase = (t: TestContext) => Promise<Database>

const NOON = new Date('2026-01-31T12:00:00.000Z')
const HOUR_MS = 3_600_000

function after(hours: number): Date {
  return new Date(NOON.getTime() + hours * HOUR_MS)
}

interface UploadFacts {
  account: Account
  size?: number
  filename?: string
  expiresAt?: Date
}

function anUpload({ account, size = 60, filename = 'a.zip', expiresAt }: UploadFacts): Upload {
  const uploadId = newUuid()
  return {
    asset: {
      id: newUuid(),
      accountId: account.id,
      kind: 'file',
      status: 'uploading',
      filename,
      bytes: size,
      mime: 'application/zip',
      url: null,
      createdAt: NOON,
    },
    id: uploadId,
    storageId: uploadId,
    chunkSize: 100,
    expiresAt: expiresAt ?? after(12),
  }
}

/** What every database promises. An engine's test opens it and runs all of this. */
export function testDatabaseContract(engine: string, openEngine: OpenDatabase): void {
  const name = (sentence: string) => `${engine}: ${sentence}`

  async function open(t: TestContext, { planStorage = 100 } = {}) {
    const database = await openEngine(t)
    const account = await anAccount(database, 'default', planStorage)
    cleanUp(t, () => assertBooksBalance(database))
    return { database, account }
  }

  async function anAccount(database: Database, accountName: string, planStorage: number) {
    const details = { id: newUuid(), name: accountName, planName: 'test', planStorage }
    return database.ensureAccount({ ...details, createdAt: NOON })
  }

  async function reserve(database: Database, facts: UploadFacts) {
    const upload = anUpload(facts)
    const { outcome } = await database.reserveUpload({ upload })
    return { upload, outcome }
  }

  async function aReadyAsset(database: Database, facts: UploadFacts): Promise<string> {
    const { upload, outcome } = await reserve(database, { size: 0, ...facts })
    assert.equal(outcome, 'reserved')
    await database.beginCompletion(upload.asset.id, NOON)
    assert.equal(await database.finishCompletion(upload.asset.id, NOON), 'ready')
    return upload.asset.id
  }

  async function usageOf(database: Database, account: Account) {
    const usage = await database.findUsage(account.id)
    assert.ok(usage)
    return usage
  }

  test(name('an account that exists keeps its id and plan'), async (t) => {
    const { database, account } = await open(t)
    assert.deepEqual(await anAccount(database, 'default', 5), account)
    await database.changePlan(account.id, { name: 'large', storage: 500 })
    assert.equal((await usageOf(database, account)).limit, 500)
  })

  test(name('two uploads racing for the last bytes: exactly one is reserved'), async (t) => {
    const { database, account } = await open(t, { planStorage: 100 })
    const results = await Promise.all([
      reserve(database, { account, size: 60 }),
      reserve(database, { account, size: 60 }),
    ])
    const outcomes = results.map(({ outcome }) => outcome)
    assert.deepEqual(outcomes.toSorted(), ['reserved', 'storage_exceeded'])
    assert.deepEqual(await usageOf(database, account), { limit: 100, stored: 0, reserved: 60 })
  })

  test(name('a refusal says what the plan has'), async (t) => {
    const { database, account } = await open(t, { planStorage: 100 })
    await reserve(database, { account, size: 70 })
    const refused = await database.reserveUpload({ upload: anUpload({ account, size: 31 }) })
    assert.deepEqual(refused, {
      outcome: 'storage_exceeded',
      usage: { limit: 100, stored: 0, reserved: 70 },
    })
    assert.equal((await reserve(database, { account, size: 30 })).outcome, 'reserved')
  })

  test(name('a plan below what is stored stops new uploads only'), async (t) => {
    const { database, account } = await open(t)
    const id = await aReadyAsset(database, { account, size: 80 })
    await database.changePlan(account.id, { name: 'small', storage: 50 })
    assert.equal((await reserve(database, { account, size: 1 })).outcome, 'storage_exceeded')
    assert.equal((await database.findAsset(account.id, id))?.status, 'ready')
  })

  test(name('an idempotency key repeats its upload, and refuses another'), async (t) => {
    const { database, account } = await open(t)
    const upload = anUpload({ account })
    const ask = (digest: string, other = anUpload({ account })) =>
      database.reserveUpload({ upload: other, idempotency: { key: 'k', digest } })
    assert.deepEqual(await ask('x', upload), { outcome: 'reserved' })
    assert.deepEqual(await ask('x'), { outcome: 'repeated', upload })
    assert.deepEqual(await ask('y'), { outcome: 'key_reused' })
    assert.equal((await usageOf(database, account)).reserved, 60)
  })

  test(
    name('of racing requests with one key one reserves, and the others repeat it'),
    async (t) => {
      const { database, account } = await open(t, { planStorage: 1000 })
      const idempotency = { key: 'k', digest: 'x' }
      const results = await Promise.all(
        Array.from({ length: 8 }, () =>
          database.reserveUpload({ upload: anUpload({ account }), idempotency }),
        ),
      )
      const outcomes = results.map(({ outcome }) => outcome)
      assert.equal(outcomes.filter((outcome) => outcome === 'reserved').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'repeated').length, 7)
      assert.equal((await usageOf(database, account)).reserved, 60)
    },
  )

  test(name('two accounts with the same names and keys never meet'), async (t) => {
    const { database, account } = await open(t)
    const other = await anAccount(database, 'other', 100)
    const idempotency = { key: 'k', digest: 'x' }
    const upload = anUpload({ account })
    await database.reserveUpload({ upload, idempotency })
    const theirs = await database.reserveUpload({
      upload: anUpload({ account: other }),
      idempotency,
    })
    assert.equal(theirs.outcome, 'reserved')
    assert.equal(await database.findUpload(other.id, upload.asset.id), undefined)
    assert.equal(await database.findAsset(other.id, upload.asset.id), undefined)
    await aReadyAsset(database, { account: other, filename: 'theirs.zip' })
    const query = { page: 1, perPage: 10, name: 'theirs' }
    assert.equal((await database.listAssets(account.id, query)).total, 0)
    assert.equal((await database.listAssets(other.id, query)).total, 1)
  })

  test(name('an upload is read back as it was reserved'), async (t) => {
    const { database, account } = await open(t)
    const upload = anUpload({ account, filename: '日本 ‮…’.zip' })
    await database.reserveUpload({ upload })
    assert.deepEqual(await database.findUpload(account.id, upload.asset.id), upload)
    assert.deepEqual(await database.findAsset(account.id, upload.asset.id), upload.asset)
    await database.recordStorageId(upload.asset.id, 'named-by-the-storage')
    const named = await database.findUpload(account.id, upload.asset.id)
    assert.equal(named?.storageId, 'named-by-the-storage')
  })

  test(name('a dropped reservation frees its bytes and is forgotten'), async (t) => {
    const { database, account } = await open(t)
    const { upload } = await reserve(database, { account })
    await database.dropReservation(upload.asset.id)
    await database.dropReservation(upload.asset.id)
    assert.equal((await usageOf(database, account)).reserved, 0)
    assert.equal(await database.findUpload(account.id, upload.asset.id), undefined)
  })

  test(name('completion turns reserved bytes into stored ones, once'), async (t) => {
    const { database, account } = await open(t)
    const { upload } = await reserve(database, { account })
    const { id } = upload.asset
    assert.deepEqual(await database.beginCompletion(id, NOON), { won: true, status: 'completing' })
    assert.deepEqual(await database.beginCompletion(id, NOON), { won: false, status: 'completing' })
    const statuses = await Promise.all([1, 2, 3].map(() => database.finishCompletion(id, NOON)))
    assert.deepEqual(statuses, ['ready', 'ready', 'ready'])
    assert.deepEqual(await usageOf(database, account), { limit: 100, stored: 60, reserved: 0 })
    assert.equal((await database.listAssets(account.id, { page: 1, perPage: 10 })).total, 1)
  })

  test(name('a refused completion can be cancelled again'), async (t) => {
    const { database, account } = await open(t)
    const { upload } = await reserve(database, { account })
    await database.beginCompletion(upload.asset.id, NOON)
    await database.reopenUpload(upload.asset.id, NOON)
    assert.equal((await database.cancelUpload(upload.asset.id, NOON)).status, 'cancelled')
  })

  test(
    name('of cancels that race one gets the removal, and the bytes are free once'),
    async (t) => {
      const { database, account } = await open(t)
      const { upload } = await reserve(database, { account })
      const results = await Promise.all(
        [1, 2, 3].map(() => database.cancelUpload(upload.asset.id, NOON)),
      )
      assert.equal(results.filter(({ removal }) => removal !== undefined).length, 1)
      assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['cancelled']))
      assert.equal((await usageOf(database, account)).reserved, 0)
    },
  )

  test(name('completion, cancel and expiry racing for one upload: one wins'), async (t) => {
    const { database, account } = await open(t, { planStorage: 10_000 })
    for (let round = 0; round < 20; round += 1) {
      const { upload } = await reserve(database, { account, expiresAt: NOON })
      const { id } = upload.asset
      const calls = [
        async () => (await database.beginCompletion(id, after(1))).won,
        async () => (await database.cancelUpload(id, after(1))).removal !== undefined,
        async () => (await database.expireUploads(after(1), 10)) === 1,
      ]
      // Each round another one is first.
      const rotated = [...calls.slice(round % 3), ...calls.slice(0, round % 3)]
      const wins = await Promise.all(rotated.map((call) => call()))
      assert.equal(wins.filter(Boolean).length, 1)
    }
  })

  test(name('a completing upload can neither be cancelled nor expire'), async (t) => {
    const { database, account } = await open(t)
    const { upload } = await reserve(database, { account, expiresAt: NOON })
    await database.beginCompletion(upload.asset.id, NOON)
    assert.deepEqual(await database.cancelUpload(upload.asset.id, NOON), { status: 'completing' })
    assert.equal(await database.expireUploads(after(99), 10), 0)
    assert.equal(await database.renewUpload(upload.asset.id, after(99)), false)
  })

  test(
    name('uploads expire when their time is up, not before, and renewing gives more'),
    async (t) => {
      const { database, account } = await open(t, { planStorage: 1000 })
      const { upload: renewed } = await reserve(database, { account, expiresAt: after(1) })
      const { upload: left } = await reserve(database, { account, expiresAt: after(1) })
      assert.equal(await database.expireUploads(after(0.9), 10), 0)
      assert.equal(await database.renewUpload(renewed.asset.id, after(3)), true)
      assert.equal(await database.expireUploads(after(1), 10), 1)
      assert.equal((await database.findUpload(account.id, left.asset.id))?.asset.status, 'expired')
      assert.equal((await usageOf(database, account)).reserved, 60)
      assert.equal(await database.expireUploads(after(3), 10), 1)
      assert.equal((await usageOf(database, account)).reserved, 0)
    },
  )

  test(name('what the storage must let go of stays due until it is confirmed'), async (t) => {
    const { database, account } = await open(t, { planStorage: 1000 })
    const { upload } = await reserve(database, { account, expiresAt: NOON })
    await database.expireUploads(NOON, 10)
    const [removal] = await database.listDueRemovals(NOON, 10)
    assert.ok(removal)
    assert.deepEqual(
      { ...removal, id: 0 },
      { id: 0, kind: 'upload', storageId: upload.id, key: upload.asset.id, attempts: 0 },
    )
    await database.postponeRemoval(removal.id, after(1))
    assert.deepEqual(await database.listDueRemovals(after(0.5), 10), [])
    assert.equal((await database.listDueRemovals(after(1), 10))[0]?.attempts, 1)
    await database.finishRemoval(removal.id)
    assert.deepEqual(await database.listDueRemovals(after(99), 10), [])
  })

  test(name('completions left behind are listed, and a lost one can be given up'), async (t) => {
    const { database, account } = await open(t)
    const { upload } = await reserve(database, { account })
    await database.beginCompletion(upload.asset.id, NOON)
    assert.deepEqual(await database.listStuckCompletions(NOON, 10), [])
    const stuck = await database.listStuckCompletions(after(1), 10)
    assert.deepEqual(
      stuck.map(({ id }) => id),
      [upload.id],
    )
    await database.abandonCompletion(upload.asset.id, after(1))
    assert.equal((await usageOf(database, account)).reserved, 0)
    assert.deepEqual(await database.listStuckCompletions(after(2), 10), [])
  })

  test(name('it tells which uploads are unfinished'), async (t) => {
    const { database, account } = await open(t, { planStorage: 1000 })
    const { upload: open1 } = await reserve(database, { account })
    const { upload: completing } = await reserve(database, { account })
    const { upload: cancelled } = await reserve(database, { account })
    await database.beginCompletion(completing.asset.id, NOON)
    await database.cancelUpload(cancelled.asset.id, NOON)
    const ids = [open1, completing, cancelled].map(({ asset }) => asset.id)
    const unfinished = await database.filterUnfinished([...ids, newUuid()])
    assert.deepEqual(unfinished, new Set(ids.slice(0, 2)))
  })

  test(name('ended uploads are forgotten after a while'), async (t) => {
    const { database, account } = await open(t)
    const { upload } = await reserve(database, { account })
    await database.cancelUpload(upload.asset.id, NOON)
    assert.equal(await database.forgetEndedUploads(NOON, 10), 0)
    assert.equal(await database.forgetEndedUploads(after(1), 10), 1)
    assert.equal(await database.findUpload(account.id, upload.asset.id), undefined)
  })

  test(name('the list holds ready assets only, newest first, page by page'), async (t) => {
    const { database, account } = await open(t)
    await reserve(database, { account, size: 1 })
    const ids: string[] = []
    for (let index = 0; index < 7; index += 1) ids.push(await aReadyAsset(database, { account }))
    const seen: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const { assets, total } = await database.listAssets(account.id, { page, perPage: 3 })
      assert.equal(total, 7)
      seen.push(...assets.map(({ id }) => id))
    }
    assert.deepEqual(seen, ids.toReversed())
    const beyond = { page: Number.MAX_SAFE_INTEGER, perPage: 1000 }
    assert.deepEqual(await database.listAssets(account.id, beyond), { assets: [], total: 7 })
  })

  test(name('the name filter finds any part, in any case and script, of any length'), async (t) => {
    const { database, account } = await open(t)
    const names = [
      'Sample Pack 100%.zip',
      'sample_pack_1000.zip',
      'Straße.PDF',
      '日本語の本.epub',
      'ΟΔΟΣ "x".txt',
    ]
    for (const filename of names) await aReadyAsset(database, { account, filename })
    const found = async (part: string) => {
      const query = { page: 1, perPage: 10, name: foldText(part) }
      const { assets, total } = await database.listAssets(account.id, query)
      assert.equal(total, assets.length)
      return assets.map(({ filename }) => names.indexOf(filename)).sort()
    }
    const expected: [string, number[]][] = [
      ['sample', [0, 1]],
      ['PACK', [0, 1]],
      ['100%', [0]],
      ['_pack_', [1]],
      ['%', [0]],
      ['_', [1]],
      ['e_p', [1]],
      ['strasse', [2]],
      ['STRASSE.pdf', [2]],
      ['本', [3]],
      ['日本', [3]],
      ['本語の', [3]],
      ['οδος', [4]],
      ['"x"', [4]],
      ['"', [4]],
      ['x" OR', []],
      ['z', [0, 1]],
      ['ip', [0, 1]],
      ['100%.zipp', []],
      ['pack sample', []],
      // Has all trigrams of a name, but not in one piece.
      ['sample sample', []],
    ]
    for (const [part, indexes] of expected) assert.deepEqual(await found(part), indexes, part)
  })

  test(name('it answers when asked whether it is well'), async (t) => {
    const { database } = await open(t)
    await database.check()
  })
}

async function assertBooksBalance(database: Database): Promise<void> {
  for (const { counted, actual } of await database.readBooks()) assert.deepEqual(counted, actual)
}
