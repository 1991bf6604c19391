import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import {
  addToken,
  aLink,
  anAccount,
  anUpload,
  aReadyAsset,
  type Contract,
  complete,
  exceeded,
  expireOverdue,
  KEEP,
  KEPT,
  NEWEST,
  NOON,
  type Opened,
  OVERDUE,
  outcomeOf,
  replace,
  reserve,
  usageOf,
} from './builders.ts'

/** The contract for uploads and the plan. */
export function testUploads({ name, open }: Contract): void {
  async function openLimited(t: TestContext, assets: number | null): Promise<Opened> {
    const opened = await open(t, { planStorage: 1000 })
    await opened.database.changePlan(opened.account.id, { name: 'few', storage: 1000, assets })
    return opened
  }

  test(name('if two uploads race for the last bytes, exactly one is reserved'), async (t) => {
    const { data } = await open(t, { planStorage: 100 })
    const results = await Promise.all([reserve(data, { size: 60 }), reserve(data, { size: 60 })])
    const outcomes = results.map(({ outcome }) => outcome)
    assert.deepEqual(outcomes.toSorted(), ['reserved', 'storage_exceeded'])
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 0, reserved: 60 })
  })

  test(name('a refused upload returns the usage of the plan'), async (t) => {
    const { data } = await open(t, { planStorage: 100 })
    await reserve(data, { size: 70 })
    const refused = await data.reserveUpload({ upload: anUpload({ size: 31 }), ...KEPT })
    assert.deepEqual(refused, {
      outcome: 'storage_exceeded',
      usage: { limit: 100, stored: 0, reserved: 70 },
    })
    assert.equal((await reserve(data, { size: 30 })).outcome, 'reserved')
  })

  test(name('a plan below the current usage only prevents new uploads'), async (t) => {
    const { database, account, data } = await open(t)
    const id = await aReadyAsset(data, { size: 80 })
    await database.changePlan(account.id, { name: 'small', storage: 50 })
    assert.equal((await reserve(data, { size: 1 })).outcome, 'storage_exceeded')
    assert.equal((await data.findAsset(id))?.status, 'ready')
  })

  test(name('a plan limits ready assets and unfinished uploads together'), async (t) => {
    const { data } = await openLimited(t, 3)
    const asset = await aReadyAsset(data)
    const { upload } = await reserve(data, { size: 1 })
    await aLink(data)
    assert.equal((await data.readSummary()).planAssets, 3)
    const room = { limit: 3, used: 3 }
    const refused = { outcome: 'assets_exceeded', needed: 1, room }
    assert.deepEqual(await data.reserveUpload({ upload: anUpload({ size: 0 }), ...KEPT }), refused)
    const { asset: other } = anUpload()
    assert.deepEqual(await data.addLink({ ...other, kind: 'link', status: 'ready' }), refused)
    const once = { key: 'k', digest: 'd', id: other.id, nonce: 'n' }
    const link = { ...other, kind: 'link', status: 'ready' } as const
    assert.deepEqual(await data.addLinkOnce(once, link), { outcome: 'first', added: refused })
    // A new version is not another asset.
    await replace(data, asset)
    await data.resizeUpload(upload.asset.id, 2)
    await complete(data, upload.asset.id)
    assert.deepEqual(await data.reserveUpload({ upload: anUpload({ size: 0 }), ...KEPT }), refused)
    await data.trashAssets([asset])
    assert.deepEqual(await data.addLinkOnce(once, link), { outcome: 'first', added: 'added' })
    assert.deepEqual(await data.restoreAssets([asset]), refused)
    assert.equal((await data.readSummary()).assets, 3)
  })

  test(
    name('a token that is used up is refused as such, also if the plan has no room'),
    async (t) => {
      const { data } = await openLimited(t, 1)
      const { id } = await addToken(data, { maxFiles: 1 })
      assert.equal((await outcomeOf(data, id, 10)).outcome, 'reserved')
      assert.deepEqual(await outcomeOf(data, id, 10), exceeded(90, 0))
      const { id: other } = await addToken(data)
      assert.equal((await outcomeOf(data, other, 10)).outcome, 'assets_exceeded')
    },
  )

  test(name('uploads that end are no longer part of the number of assets'), async (t) => {
    const { database, data } = await openLimited(t, 1)
    const { upload } = await reserve(data, { size: 1 })
    assert.equal((await reserve(data, { size: 1 })).outcome, 'assets_exceeded')
    await data.cancelUpload(upload.asset.id)
    const { upload: overdue, outcome } = await reserve(data, { size: 1, ...OVERDUE })
    assert.equal(outcome, 'reserved')
    assert.equal((await reserve(data, { size: 1 })).outcome, 'assets_exceeded')
    assert.equal(await expireOverdue(database), 1)
    const { upload: dropped } = await reserve(data, { size: 1 })
    await data.dropReservation(dropped.asset.id)
    assert.equal((await reserve(data, { size: 1 })).outcome, 'reserved')
    assert.equal((await data.findUpload(overdue.asset.id))?.status, 'expired')
  })

  test(name('a lower number of assets keeps those that exist'), async (t) => {
    const { database, account, data } = await openLimited(t, null)
    const ids = [await aReadyAsset(data), await aReadyAsset(data)]
    const setLimit = (assets: number | null) =>
      database.changePlan(account.id, { name: 'small', storage: 1000, assets })
    await setLimit(1)
    assert.equal((await reserve(data, { size: 1 })).outcome, 'assets_exceeded')
    assert.equal((await data.restoreAssets(ids)).outcome, 'restored')
    await database.changePlan(account.id, { name: 'same limit', storage: 1000 })
    assert.equal((await database.findAccount('default'))?.planAssets, 1)
    await setLimit(null)
    assert.equal((await reserve(data, { size: 1 })).outcome, 'reserved')
  })

  test(
    name('concurrent uploads, links and restores never exceed the number of assets'),
    async (t) => {
      const { data } = await openLimited(t, 12)
      const ids: string[] = []
      for (let count = 0; count < 10; count += 1) ids.push(await aReadyAsset(data))
      await data.trashAssets(ids)
      const full = data.reserveUpload({ upload: anUpload({ size: 900 }), ...KEPT })
      await Promise.all([
        full,
        ...ids.map((id) => data.restoreAssets([id])),
        // With and without tags, because these take different paths, and enough bytes to remove trash.
        ...ids.map((_, at) => reserve(data, { size: 10, tags: at % 2 ? ['tag'] : [] })),
        ...ids.map(() => aLink(data)),
        ...ids.map((id) => data.trashAssets([id])),
      ])
      const { assets } = await data.readSummary()
      const { total } = await data.listUploads({ page: 1, perPage: 1 })
      assert.ok(assets + total <= 12, `${assets} assets and ${total} uploads`)
      for (let left = 12 - assets - total; left > 0; left -= 1) await aLink(data)
      assert.equal((await reserve(data, { size: 0 })).outcome, 'assets_exceeded')
    },
  )

  test(
    name('an idempotency key returns the same upload again, and is refused for another request'),
    async (t) => {
      const { account, data } = await open(t)
      const upload = anUpload({ accountId: account.id })
      const request = (digest: string, other = anUpload()) =>
        data.reserveUpload({ upload: other, ...KEPT, idempotency: { key: 'k', digest } })
      assert.equal((await request('x', upload)).outcome, 'reserved')
      const repeated = await request('x')
      assert.equal(repeated.outcome, 'repeated')
      assert.partialDeepStrictEqual(repeated, { upload: { id: upload.id, asset: upload.asset } })
      assert.deepEqual(await request('y'), { outcome: 'key_reused' })
      assert.equal((await usageOf(data)).reserved, 60)
    },
  )

  test(
    name(
      'if requests with the same key run concurrently, one reserves and the others return its upload',
    ),
    async (t) => {
      const { data } = await open(t, { planStorage: 1000 })
      const idempotency = { key: 'k', digest: 'x' }
      const results = await Promise.all(
        Array.from({ length: 8 }, () =>
          data.reserveUpload({ upload: anUpload(), ...KEPT, idempotency }),
        ),
      )
      const outcomes = results.map(({ outcome }) => outcome)
      assert.equal(outcomes.filter((outcome) => outcome === 'reserved').length, 1)
      assert.equal(outcomes.filter((outcome) => outcome === 'repeated').length, 7)
      assert.equal((await usageOf(data)).reserved, 60)
    },
  )

  test(name('accounts with the same file names and idempotency keys are separate'), async (t) => {
    const { database, data } = await open(t)
    const theirData = database.of((await anAccount(database, 'other', 100)).id)
    const idempotency = { key: 'k', digest: 'x' }
    const upload = anUpload()
    await data.reserveUpload({ upload, ...KEPT, idempotency })
    const theirs = await theirData.reserveUpload({
      upload: anUpload(),
      ...KEPT,
      idempotency,
    })
    assert.equal(theirs.outcome, 'reserved')
    assert.equal(await theirData.findUpload(upload.asset.id), undefined)
    assert.equal(await theirData.findAsset(upload.asset.id), undefined)
    await aReadyAsset(theirData, { filename: 'theirs.zip' })
    const query = { page: 1, perPage: 10, sort: NEWEST, name: 'theirs' }
    assert.equal((await data.listAssets(query)).total, 0)
    assert.equal((await theirData.listAssets(query)).total, 1)
  })

  test(name('an upload is read back as it was reserved'), async (t) => {
    const { account, data } = await open(t)
    const upload = anUpload({ accountId: account.id, filename: '日本 ‮…’.zip' })
    const before = Date.now()
    await data.reserveUpload({ upload, keptForMs: 3_600_000 })
    const found = await data.findUpload(upload.asset.id)
    const { expiresAt = NOON } = found ?? {}
    assert.deepEqual(found, { ...upload, expiresAt })
    const keptForMs = expiresAt.getTime() - before
    assert.ok(keptForMs > 3_590_000 && keptForMs < 3_660_000, `${keptForMs}`)
    const asset = { ...upload.asset, status: 'uploading' }
    assert.deepEqual(await data.findAsset(upload.asset.id), asset)
    const record = (previous: string, storageId: string) =>
      data.recordStorageId(upload.asset.id, { previous, storageId })
    assert.equal(await record(upload.id, 'assigned-by-the-storage'), true)
    assert.equal(await record(upload.id, 'assigned-too-late'), false)
    const named = await data.findUpload(upload.asset.id)
    assert.equal(named?.storageId, 'assigned-by-the-storage')
  })

  test(name('a dropped reservation frees its bytes and is deleted'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data)
    await data.dropReservation(upload.asset.id)
    await data.dropReservation(upload.asset.id)
    assert.equal((await usageOf(data)).reserved, 0)
    assert.equal(await data.findUpload(upload.asset.id), undefined)
  })

  test(
    name('a reservation is kept if a repeated call created its upload in the storage'),
    async (t) => {
      const { data } = await open(t)
      const { upload } = await reserve(data)
      const { id } = upload.asset
      await data.recordStorageId(id, { previous: upload.id, storageId: 'assigned-by-the-storage' })
      await data.dropReservation(id)
      assert.equal((await usageOf(data)).reserved, 60)
      assert.equal((await data.findUpload(id))?.storageId, 'assigned-by-the-storage')
    },
  )

  test(name('a reservation is kept if a repeated call resumed it'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data)
    const { id } = upload.asset
    assert.ok(await data.renewUpload(id, KEPT.keptForMs))
    await data.dropReservation(id)
    assert.equal((await data.findUpload(id))?.storageId, upload.id)
    await data.cancelUpload(id)
  })

  test(name('completing moves the reserved bytes to the stored bytes once'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data)
    const { id } = upload.asset
    assert.deepEqual(await data.beginCompletion(id, KEPT), {
      won: true,
      status: 'completing',
    })
    assert.deepEqual(await data.beginCompletion(id, KEPT), {
      won: false,
      status: 'completing',
    })
    const statuses = await Promise.all([1, 2, 3].map(() => data.finishCompletion(id, KEEP)))
    assert.deepEqual(statuses, ['ready', 'ready', 'ready'])
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 60, reserved: 0 })
    assert.equal((await data.listAssets({ page: 1, perPage: 10, sort: NEWEST })).total, 1)
  })

  test(name('an upload can be cancelled after its completion was rejected'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data)
    await data.beginCompletion(upload.asset.id, KEPT)
    await data.reopenUpload(upload.asset.id)
    assert.equal((await data.cancelUpload(upload.asset.id)).status, 'cancelled')
  })

  test(
    name('if an upload is cancelled concurrently, one call wins, and the bytes are freed once'),
    async (t) => {
      const { data } = await open(t)
      const { upload } = await reserve(data)
      const results = await Promise.all([1, 2, 3].map(() => data.cancelUpload(upload.asset.id)))
      assert.equal(results.filter(({ won }) => won).length, 1)
      assert.deepEqual(new Set(results.map(({ status }) => status)), new Set(['cancelled']))
      assert.equal((await usageOf(data)).reserved, 0)
    },
  )

  test(
    name('when a completion, a cancel and the expiry of an upload race, exactly one wins'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 10_000 })
      for (let round = 0; round < 20; round += 1) {
        const { upload } = await reserve(data, OVERDUE)
        const { id } = upload.asset
        const calls = [
          async () => (await data.beginCompletion(id, KEPT)).won,
          async () => (await data.cancelUpload(id)).won,
          async () => (await expireOverdue(database)) === 1,
        ]
        // Consecutive rounds start with different calls.
        const rotated = [...calls.slice(round % 3), ...calls.slice(0, round % 3)]
        const wins = await Promise.all(rotated.map((call) => call()))
        assert.equal(wins.filter(Boolean).length, 1)
      }
    },
  )

  test(name('a completing upload cannot be cancelled and does not expire'), async (t) => {
    const { database, data } = await open(t)
    const { upload } = await reserve(data, OVERDUE)
    await data.beginCompletion(upload.asset.id, KEPT)
    assert.deepEqual(await data.cancelUpload(upload.asset.id), {
      won: false,
      status: 'completing',
    })
    assert.deepEqual(await database.expireUploads([upload.asset.id]), [])
    assert.equal(await data.renewUpload(upload.asset.id, 1000), undefined)
  })

  test(name('uploads expire at their expiry time, and renewing extends it'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { upload: renewed } = await reserve(data, OVERDUE)
    const { upload: left } = await reserve(data, OVERDUE)
    const { upload: young } = await reserve(data)
    const ids = [renewed, left, young].map(({ asset }) => asset.id)
    const overdue = async () =>
      (await database.listOverdueUploads(10)).map(({ asset }) => asset.id).sort()
    assert.deepEqual(await overdue(), ids.slice(0, 2).sort())
    assert.ok(await data.renewUpload(renewed.asset.id, 3_600_000))
    assert.deepEqual(await overdue(), [left.asset.id])
    assert.deepEqual(await database.expireUploads(ids), [left.asset.id])
    assert.equal((await data.findUpload(left.asset.id))?.status, 'expired')
    assert.equal((await usageOf(data)).reserved, 120)
    assert.ok(await data.renewUpload(renewed.asset.id, -1))
    assert.deepEqual(await database.expireUploads(ids), [renewed.asset.id])
    assert.equal((await usageOf(data)).reserved, 60)
    assert.deepEqual(await overdue(), [])
  })
}

/** The contract for changing the declared size of an upload. */
export function testResizing({ name, open }: Contract): void {
  test(name('a new size changes the reservation, and cannot exceed the plan'), async (t) => {
    const { data } = await open(t, { planStorage: 100 })
    const { upload } = await reserve(data, { size: 40 })
    const { id } = upload.asset
    await reserve(data, { size: 30 })
    assert.deepEqual(await data.resizeUpload(id, 70), { outcome: 'resized' })
    assert.deepEqual(await data.resizeUpload(id, 70), { outcome: 'resized' })
    const usage = { limit: 100, stored: 0, reserved: 100 }
    assert.deepEqual(await data.resizeUpload(id, 71), {
      outcome: 'storage_exceeded',
      usage,
      growth: 1,
    })
    assert.equal((await data.findUpload(id))?.asset.bytes, 70)
    assert.deepEqual(await usageOf(data), usage)
    assert.deepEqual(await data.resizeUpload(id, 0), { outcome: 'resized' })
    assert.deepEqual(await usageOf(data), { ...usage, reserved: 30 })
  })

  test(name('a smaller size fits even if the plan was reduced meanwhile'), async (t) => {
    const { database, account, data } = await open(t)
    const { upload } = await reserve(data, { size: 80 })
    await database.changePlan(account.id, { name: 'small', storage: 10 })
    assert.deepEqual(await data.resizeUpload(upload.asset.id, 79), { outcome: 'resized' })
    assert.equal((await data.resizeUpload(upload.asset.id, 80)).outcome, 'storage_exceeded')
    assert.equal((await usageOf(data)).reserved, 79)
  })

  test(name('uploads that grow concurrently cannot exceed the plan together'), async (t) => {
    const { data } = await open(t, { planStorage: 100 })
    const uploads = await Promise.all([1, 2, 3, 4].map(() => reserve(data, { size: 10 })))
    const results = await Promise.all(
      uploads.flatMap(({ upload }) => [
        data.resizeUpload(upload.asset.id, 40),
        data.resizeUpload(upload.asset.id, 35),
      ]),
    )
    assert.ok(results.some(({ outcome }) => outcome === 'storage_exceeded'))
    assert.ok((await usageOf(data)).reserved <= 100)
  })

  test(name('only an asset that is uploading can be resized'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const completing = (await reserve(data)).upload.asset.id
    await data.beginCompletion(completing, KEPT)
    const cancelled = (await reserve(data)).upload.asset.id
    await data.cancelUpload(cancelled)
    const states = [
      [completing, 'completing'],
      [await aReadyAsset(data, { size: 5 }), 'ready'],
      [cancelled, 'cancelled'],
      [anUpload().asset.id, undefined],
    ] as const
    for (const [id, status] of states) {
      assert.deepEqual(await data.resizeUpload(id, 7), { outcome: 'refused', status })
    }
    assert.deepEqual(await usageOf(data), { limit: 1000, stored: 5, reserved: 60 })
  })

  test(name('a completion with another size than the declared one does not start'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data, { size: 60 })
    const { id } = upload.asset
    await data.resizeUpload(id, 50)
    const resized = { won: false, status: 'resized' }
    assert.deepEqual(await data.beginCompletion(id, { ...KEPT, bytes: 60 }), resized)
    assert.equal((await data.beginCompletion(id, { ...KEPT, bytes: 50 })).won, true)
    assert.deepEqual(await data.beginCompletion(id, { ...KEPT, bytes: 60 }), resized)
    assert.equal(await data.finishCompletion(id, KEEP), 'ready')
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 50, reserved: 0 })
  })

  test(name('the size is final once a completion has started'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data, { size: 60 })
    const { id } = upload.asset
    await data.beginCompletion(id, KEPT)
    await data.reopenUpload(id)
    assert.deepEqual(await data.resizeUpload(id, 50), { outcome: 'final' })
    assert.deepEqual(await usageOf(data), { limit: 100, stored: 0, reserved: 60 })
    assert.equal((await data.beginCompletion(id, { ...KEPT, bytes: 60 })).won, true)
    assert.equal(await data.finishCompletion(id, KEEP), 'ready')
  })

  test(
    name('when a completion and a new size race, exactly one of them takes effect'),
    async (t) => {
      const { data } = await open(t, { planStorage: 10_000 })
      for (let round = 0; round < 20; round += 1) {
        const { upload } = await reserve(data, { size: 60 })
        const { id } = upload.asset
        const calls = [
          () => data.beginCompletion(id, { ...KEPT, bytes: 60 }),
          () => data.resizeUpload(id, 50),
        ]
        if (round % 2 === 1) calls.reverse()
        await Promise.all(calls.map((call) => call()))
        const found = await data.findUpload(id)
        const bytes = found?.status === 'completing' ? 60 : 50
        assert.equal(found?.asset.bytes, bytes)
      }
    },
  )

  test(
    name('a provisional size takes free room only, and leaves trash and superseded objects'),
    async (t) => {
      const { data } = await open(t, { planStorage: 100 })
      const trashed = await aReadyAsset(data, { size: 30 })
      await data.trashAssets([trashed])
      const superseded = await aReadyAsset(data, { size: 5 })
      await replace(data, superseded, { size: 5 }, 0)
      const provisional = (size: number) =>
        data.reserveUpload({ upload: anUpload({ size }), ...KEPT, isProvisional: true })
      assert.deepEqual(await provisional(61), { outcome: 'no_free_room', free: 60 })
      const upload = anUpload({ size: 20 })
      const first = await data.reserveUpload({ upload, ...KEPT, isProvisional: true })
      assert.equal(first.outcome, 'reserved')
      const { id } = upload.asset
      const resize = (size: number) => data.resizeUpload(id, size, { isProvisional: true })
      assert.deepEqual(await resize(61), { outcome: 'no_free_room', free: 60 })
      assert.deepEqual(await resize(60), { outcome: 'resized' })
      const { stored, reserved, trash } = await data.readSummary()
      assert.deepEqual([stored, reserved, trash], [5, 60, 30])
      // A certain size removes what is in the way.
      assert.deepEqual(await data.resizeUpload(id, 66), { outcome: 'resized' })
      assert.equal((await data.readSummary()).trash, 0)
    },
  )

  test(name('a size changes only if the upload still has the expected one'), async (t) => {
    const { data } = await open(t, { planStorage: 100 })
    const { upload } = await reserve(data, { size: 20 })
    const { id } = upload.asset
    const expecting = (expectedBytes: number) => ({ expectedBytes })
    for (const size of [10, 60, 200]) {
      assert.deepEqual(await data.resizeUpload(id, size, expecting(21)), { outcome: 'changed' })
    }
    assert.equal((await data.readSummary()).reserved, 20)
    const concurrent = await Promise.all([
      data.resizeUpload(id, 30, expecting(20)),
      data.resizeUpload(id, 40, expecting(20)),
    ])
    assert.deepEqual(concurrent.map(({ outcome }) => outcome).sort(), ['changed', 'resized'])
    const { reserved } = await data.readSummary()
    assert.equal(reserved, concurrent[0]?.outcome === 'resized' ? 30 : 40)
  })

  test(name('an upload that its token resizes counts with its new size'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const token = await addToken(data, { maxBytes: 100, maxFiles: 2 })
    const { upload } = await reserve(data, { size: 20, tokenId: token.id })
    const { upload: other } = await reserve(data, { size: 30, tokenId: token.id })
    const byToken = { tokenId: token.id }
    const { id } = upload.asset
    assert.deepEqual(await data.resizeUpload(id, 71, byToken), {
      outcome: 'token_exceeded',
      remaining: { bytes: 70, files: 1 },
    })
    assert.deepEqual(await data.resizeUpload(id, 70, byToken), { outcome: 'resized' })
    const grown = await Promise.all([
      data.resizeUpload(id, 60, byToken),
      data.resizeUpload(other.asset.id, 40, byToken),
      data.resizeUpload(other.asset.id, 41, byToken),
    ])
    const { reserved } = await data.readSummary()
    assert.ok(reserved <= 100, `${reserved} bytes with ${JSON.stringify(grown)}`)
    await data.cancelUpload(other.asset.id)
    assert.deepEqual(await data.resizeUpload(id, 100, byToken), { outcome: 'resized' })
  })
}
