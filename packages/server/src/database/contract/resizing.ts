import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anUpload, aReadyAsset, type Contract, KEEP, KEPT, reserve, usageOf } from './builders.ts'
import { replace } from './replacement-builders.ts'
import { addToken } from './token-builders.ts'

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
        const bytes = found?.asset.status === 'completing' ? 60 : 50
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
      assert.deepEqual(first, { outcome: 'reserved' })
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
