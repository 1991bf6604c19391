import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { v7 as newUuid } from 'uuid'
import { maxStartedUploads } from '../../domain/upload-token.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import {
  addToken,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  aToken,
  type Contract,
  complete,
  exceeded,
  expireOverdue,
  KEEP,
  KEPT,
  OVERDUE,
  outcomeOf,
  replace,
  reserveWith,
  select,
} from './builders.ts'

const HOUR_MS = 3_600_000
const LIMITS = { lifetimeMs: HOUR_MS, maxTokens: 100 }

/** The contract for upload tokens. */
export function testUploadTokens({ name, open }: Contract): void {
  test(name('an upload token is found by its hash, with all its limits'), async (t) => {
    const { database, data, account } = await open(t)
    const before = (await database.readClock()).getTime()
    const attach = select({ productIds: [1], skus: ['A-1'] })
    await data.putProducts([aProduct({ productId: 1, variantId: 11, sku: 'A-1' })])
    const token = aToken({
      mediaTypes: ['image/*', 'text/plain'],
      origin: 'https://a.example',
      attach,
      createdBy: { id: newUuid(), name: 'shop' },
    })
    const added = await data.addUploadToken(token, LIMITS)
    assert.ok(added.outcome === 'added')
    const { createdAt, expiresAt } = added
    const times = { createdAt, expiresAt, isExpired: false, revokedAt: null }
    const expected = { ...token, accountId: account.id, ...times }
    assert.deepEqual(await database.findUploadToken(token.hash), expected)
    assert.deepEqual(await data.findOwnUploadToken(token.id), expected)
    const after = (await database.readClock()).getTime()
    // PostgreSQL rounds to milliseconds.
    assert.ok(
      expiresAt.getTime() >= before + HOUR_MS - 1 && expiresAt.getTime() <= after + HOUR_MS + 1,
    )
    const replacing = await addToken(data, { replaces: newUuid() })
    assert.equal((await database.findUploadToken(replacing.hash))?.replaces, replacing.replaces)
    assert.equal(await database.findUploadToken('unknown'), undefined)
  })

  test(
    name('concurrent calls cannot exceed the maximum number of tokens that have not expired'),
    async (t) => {
      const { database, data } = await open(t)
      const other = database.of((await anAccount(database, 'other')).id)
      await addToken(other)
      await addToken(data, {}, 0)
      const limits = { lifetimeMs: HOUR_MS, maxTokens: 3 }
      const adding = [1, 2, 3, 4, 5].map(() => data.addUploadToken(aToken(), limits))
      const outcomes = (await Promise.all(adding)).map(({ outcome }) => outcome)
      assert.deepEqual(outcomes.toSorted(), ['added', 'added', 'added', 'too_many', 'too_many'])
    },
  )

  test(
    name('the event of a token has its limits, and neither the token nor its hash'),
    async (t) => {
      const { data } = await open(t)
      const replaces = newUuid()
      const token = await addToken(data, {
        mediaTypes: ['image/*'],
        origin: 'https://a.example',
        replaces,
      })
      const [event] = (await data.listEvents({ after: 0, limit: 10 })).events
      assert.equal(event?.type, 'token.created')
      const { expiresAt, ...limits } = event.data
      assert.ok(expiresAt.getTime() > Date.now())
      assert.deepEqual(limits, {
        id: token.id,
        maxBytes: 100,
        maxFiles: 10,
        mediaTypes: ['image/*'],
        origin: 'https://a.example',
        replaces,
      })
      assert.doesNotMatch(JSON.stringify(event), /hash/i)
    },
  )

  test(name('tokens that can start uploads are listed page by page, newest first'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    const foreign = await addToken(other)
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) ids.unshift((await addToken(data)).id)
    await addToken(data, {}, 0)
    const revoked = await addToken(data)
    assert.equal(await data.revokeUploadToken(revoked.id), true)
    const idsOf = async (query: { page: number; perPage: number; after?: { id: string } }) => {
      const { rows, total } = await data.listUploadTokens(query)
      assert.equal(total, 5)
      return rows.map(({ id }) => id)
    }
    assert.deepEqual(await idsOf({ page: 1, perPage: 10 }), ids)
    assert.deepEqual(await idsOf({ page: 2, perPage: 2 }), ids.slice(2, 4))
    assert.deepEqual(await idsOf({ page: 3, perPage: 2 }), ids.slice(4))
    assert.deepEqual(await idsOf({ page: 4, perPage: 2 }), [])
    const after = { id: ids[2] ?? '' }
    assert.deepEqual(await idsOf({ page: 1, perPage: 2, after }), ids.slice(3))
    assert.equal(await data.findOwnUploadToken(foreign.id), undefined)
    assert.equal(await data.revokeUploadToken(foreign.id), false)
    assert.equal((await database.findUploadToken(foreign.hash))?.revokedAt, null)
  })

  test(name('a revoked token starts no upload and extends none'), async (t) => {
    const { database, data } = await open(t)
    const token = await addToken(data, { maxFiles: 9 })
    const { id, reservation } = await reserveWith(data, token.id)
    assert.equal(reservation.outcome, 'reserved')
    const expiry = (await data.findUpload(id))?.expiresAt
    assert.equal(await data.revokeUploadToken(token.id), true)
    const revoked = await data.findOwnUploadToken(token.id)
    assert.ok(revoked?.isExpired && revoked.revokedAt !== null)
    assert.ok(revoked.expiresAt <= revoked.revokedAt)
    assert.equal(await data.revokeUploadToken(token.id), true)
    assert.deepEqual(await data.findOwnUploadToken(token.id), revoked)
    assert.deepEqual((await database.findUploadToken(token.hash))?.revokedAt, revoked.revokedAt)
    assert.equal((await reserveWith(data, token.id)).reservation.outcome, 'token_expired')
    assert.deepEqual(await data.renewUpload(id, 10 * KEPT.keptForMs), expiry)
  })

  test(name('no upload of a token is reserved after its revocation'), async (t) => {
    const { data } = await open(t)
    for (let round = 0; round < 5; round += 1) {
      const token = await addToken(data, { maxBytes: 1000, maxFiles: 100 })
      const reservations: Promise<string>[] = []
      for (let count = 0; count < 8; count += 1) {
        reservations.push(
          reserveWith(data, token.id, { size: 1 }).then(({ reservation }) => reservation.outcome),
        )
      }
      const revoked = data.revokeUploadToken(token.id)
      await Promise.all([revoked, ...reservations])
      const late = await reserveWith(data, token.id, { size: 1 })
      assert.equal(late.reservation.outcome, 'token_expired')
    }
  })

  test(name('a token for unknown products is not stored'), async (t) => {
    const { database, data } = await open(t)
    const other = await anAccount(database, 'another account')
    await database.of(other.id).putProducts([aProduct({ productId: 1, variantId: 11, sku: 'A-1' })])
    const token = aToken({ attach: select({ productIds: [1], skus: ['A-1'] }) })
    assert.deepEqual(await data.addUploadToken(token, LIMITS), {
      outcome: 'products_not_found',
      unknown: select({ productIds: [1], skus: ['A-1'] }),
    })
    assert.equal(await database.findUploadToken(token.hash), undefined)
  })

  test(name('uploads of a token cannot exceed its bytes or its files'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const { id } = await addToken(data, { maxBytes: 100, maxFiles: 3 })
    assert.deepEqual(await outcomeOf(data, id, 101), exceeded(100, 3))
    assert.equal((await outcomeOf(data, id, 60)).outcome, 'reserved')
    assert.deepEqual(await outcomeOf(data, id, 41), exceeded(40, 2))
    assert.equal((await outcomeOf(data, id, 40)).outcome, 'reserved')
    assert.deepEqual(await outcomeOf(data, id, 1), exceeded(0, 1))
    assert.equal((await outcomeOf(data, id, 0)).outcome, 'reserved')
    assert.deepEqual(await outcomeOf(data, id, 0), exceeded(0, 0))
    assert.equal((await data.readSummary()).reserved, 100)
  })

  test(name('concurrent uploads of a token cannot exceed its limits'), async (t) => {
    const { data } = await open(t, { planStorage: 10_000 })
    for (const limits of [
      { maxBytes: 70, maxFiles: 100 },
      { maxBytes: 10_000, maxFiles: 7 },
    ]) {
      const { id } = await addToken(data, limits)
      const made = await Promise.all(
        Array.from({ length: 30 }, () => reserveWith(data, id, { size: 10 })),
      )
      const reserved = made.filter(({ reservation }) => reservation.outcome === 'reserved')
      assert.equal(reserved.length, 7)
      await Promise.all(reserved.map((upload) => data.cancelUpload(upload.id)))
    }
    assert.equal((await data.readSummary()).reserved, 0)
  })

  test(name('completed uploads count toward the limits, cancelled ones do not'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const { id } = await addToken(data, { maxBytes: 50, maxFiles: 5 })
    const cancelled = await reserveWith(data, id)
    await data.cancelUpload(cancelled.id)
    await reserveWith(data, id, OVERDUE)
    assert.equal(await expireOverdue(database), 1)
    const dropped = await reserveWith(data, id)
    await data.dropReservation(dropped.id)
    assert.deepEqual(await outcomeOf(data, id, 51), exceeded(50, 5))
    const deleted = await reserveWith(data, id)
    await complete(data, deleted.id)
    await data.deleteAsset(deleted.id)
    const trashed = await reserveWith(data, id)
    await complete(data, trashed.id)
    await data.trashAssets([trashed.id])
    const replaced = await reserveWith(data, id)
    await complete(data, replaced.id)
    assert.deepEqual(await outcomeOf(data, id, 21), exceeded(20, 2))
    // A larger version that another caller uploads does not count.
    await replace(data, replaced.id, { size: 500 })
    assert.deepEqual(await outcomeOf(data, id, 21), exceeded(20, 2))
  })

  test(name('a token can start a limited number of uploads, even cancelled ones'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const { id } = await addToken(data, { maxBytes: 50, maxFiles: 1 })
    for (let started = 0; started < maxStartedUploads(1); started += 1) {
      const { id: upload, reservation } = await reserveWith(data, id)
      assert.equal(reservation.outcome, 'reserved')
      // As if the storage could not create it.
      if (started % 2 === 0) await data.dropReservation(upload)
      else await data.cancelUpload(upload)
    }
    assert.deepEqual(await outcomeOf(data, id, 10), exceeded(50, 0))
    assert.equal((await data.readSummary()).reserved, 0)
  })

  test(name('an idempotency key can be used again if the storage failed'), async (t) => {
    const { data } = await open(t)
    const { id: tokenId } = await addToken(data)
    const reserveOnce = async () => {
      const { id, reservation } = await reserveWith(data, tokenId, { key: 'a' })
      assert.equal(reservation.outcome, 'reserved')
      return id
    }
    const dropped = await reserveOnce()
    await data.dropReservation(dropped)
    await data.dropReservation(dropped)
    assert.equal((await data.findUpload(dropped))?.status, 'cancelled')
    const resumed = await reserveOnce()
    await data.renewUpload(resumed, KEPT.keptForMs)
    await data.dropReservation(resumed)
    assert.equal((await data.findUpload(resumed))?.status, 'uploading')
  })

  test(name('a replacement counts toward the limits of its token'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const asset = await aReadyAsset(data, { size: 10 })
    const { id } = await addToken(data, { maxBytes: 30, maxFiles: 2, replaces: asset })
    const first = await reserveWith(data, id, { size: 20, replaces: asset })
    await complete(data, first.id)
    const found = await data.findUpload(first.id)
    assert.deepEqual([found?.tokenId, found?.status], [id, 'ready'])
    const second = await reserveWith(data, id, { size: 11, replaces: asset })
    assert.deepEqual(second.reservation, exceeded(10, 1))
    const third = await reserveWith(data, id, { size: 10, replaces: asset })
    assert.equal(third.reservation.outcome, 'reserved')
    // The asset is deleted, so its unfinished replacement is cancelled.
    await data.deleteAsset(asset)
    assert.deepEqual(await outcomeOf(data, id, 11), exceeded(10, 1))
  })

  test(
    name('a completed upload is attached to the products of its token that still exist'),
    async (t) => {
      const { data } = await open(t, { planStorage: 1000 })
      const [kept, deleted, variant] = await data.putProducts([
        aProduct({ productId: 1, variantId: 11 }),
        aProduct({ productId: 2, variantId: 21 }),
        aProduct({ productId: 3, variantId: 31, sku: 'S' }),
      ])
      assert.ok(kept && deleted && variant)
      const attach = select({ productIds: [1], variantIds: [21], ids: [variant.id], skus: ['S'] })
      const { id } = await addToken(data, { attach })
      const upload = await reserveWith(data, id)
      const attached = async () => {
        const products = await data.productsOfAssets([upload.id], 100)
        return products?.get(upload.id)?.map(({ variantId }) => variantId) ?? []
      }
      assert.deepEqual(await attached(), [])
      await data.deleteProduct(deleted.id)
      // A product ID also selects variants that were added after the token was created.
      await data.putProducts([aProduct({ productId: 1, variantId: 12 })])
      await complete(data, upload.id)
      assert.deepEqual((await attached()).toSorted(), [11, 12, 31])
      assert.equal(await data.finishCompletion(upload.id, KEEP), 'ready')
      const page = { page: 1, perPage: 10, sort: { by: 'created_at', descending: true } } as const
      assert.equal((await data.listAssets({ ...page, attached: true })).total, 1)
      const second = await reserveWith(data, id)
      await data.deleteProduct(kept.id)
      await complete(data, second.id)
      assert.equal((await data.listAssets({ ...page, attached: true })).total, 2)
    },
  )

  test(name('a token whose products were all deleted completes its uploads'), async (t) => {
    const { data } = await open(t)
    const [product] = await data.putProducts([aProduct({ productId: 1, variantId: 11 })])
    const { id } = await addToken(data, { attach: select({ productIds: [1] }) })
    const upload = await reserveWith(data, id)
    await data.deleteProduct(product?.id ?? '')
    await complete(data, upload.id)
    assert.equal((await data.findAsset(upload.id))?.status, 'ready')
  })
}

const DAY_MS = 24 * HOUR_MS

/** Starts an upload with a token that then expires. On a slow machine, it retries with a longer lifetime. */
async function startBeforeExpiry(
  database: Database,
  data: AccountData,
  lifetimeMs = 50,
): Promise<{ id: string }> {
  const token = await addToken(data, {}, lifetimeMs)
  const { id, reservation } = await reserveWith(data, token.id)
  if (reservation.outcome !== 'reserved') return startBeforeExpiry(database, data, 2 * lifetimeMs)
  const isExpired = async () => (await database.findUploadToken(token.hash))?.isExpired ?? false
  await until('the token has expired', isExpired)
  return { id }
}

/** The contract for the expiry of upload tokens. */
export function testTokenExpiry({ name, open }: Contract): void {
  test(
    name('an expired token reserves nothing, but its repeated request returns the earlier upload'),
    async (t) => {
      const { database, data, account } = await open(t)
      const token = await addToken(data, {}, 1)
      const started = anUpload({ size: 10, tokenId: token.id })
      const live = await addToken(data)
      const idempotency = { key: 'k', digest: 'same' }
      await data.reserveUpload({ upload: { ...started, tokenId: live.id }, ...KEPT, idempotency })
      const found = await database.findUploadToken(token.hash)
      assert.equal(found?.isExpired, true)
      const { expiresAt } = found
      assert.deepEqual(await outcomeOf(data, token.id, 1), { outcome: 'token_expired', expiresAt })
      assert.equal((await outcomeOf(data, newUuid(), 1)).outcome, 'token_expired')
      const repeated = await reserveWith(data, token.id, { size: 10, key: 'k' })
      assert.equal(repeated.reservation.outcome, 'repeated')
      const other = database.of((await anAccount(database, 'another account')).id)
      assert.equal((await outcomeOf(other, live.id, 1)).outcome, 'token_expired')
      await complete(data, started.asset.id)
      assert.equal((await data.findUpload(started.asset.id))?.asset.accountId, account.id)
    },
  )

  test(name('an upload whose token has expired is not extended'), async (t) => {
    const { database, data } = await open(t)
    const extendedBy = async (id: string, extend: () => Promise<unknown>) => {
      const before = await data.findUpload(id)
      await extend()
      const after = await data.findUpload(id)
      assert.ok(before && after)
      return after.expiresAt.getTime() - before.expiresAt.getTime()
    }
    const renew = (id: string) => data.renewUpload(id, 2 * KEPT.keptForMs)
    const refuse = async (id: string) => {
      assert.ok((await data.beginCompletion(id, { keptForMs: 3 * KEPT.keptForMs })).won)
      await data.reopenUpload(id)
    }
    const valid = await reserveWith(data, (await addToken(data)).id)
    assert.ok((await extendedBy(valid.id, () => renew(valid.id))) > HOUR_MS)
    assert.ok((await extendedBy(valid.id, () => refuse(valid.id))) > HOUR_MS)
    const { id } = await startBeforeExpiry(database, data)
    assert.equal(await extendedBy(id, () => renew(id)), 0)
    assert.equal(await extendedBy(id, () => refuse(id)), 0)
    const { expiresAt } = (await data.findUpload(id)) ?? assert.fail()
    assert.deepEqual(await renew(id), expiresAt)
    await complete(data, id)
    assert.equal(await renew(id), undefined)
  })

  test(name('old tokens are forgotten in batches, once their uploads have ended'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const old = await Promise.all([1, 2, 3].map(() => addToken(data, {}, -DAY_MS - 1000)))
    const recent = await addToken(data, {}, -1000)
    // As if it was created while the clock was ahead.
    const ahead = await addToken(data, {}, 100 * DAY_MS)
    assert.equal((await database.findUploadToken(ahead.hash))?.isExpired, true)
    assert.equal(await database.forgetUploadTokens(DAY_MS, 2), 2)
    assert.equal(await database.forgetUploadTokens(DAY_MS, 2), 2)
    assert.equal(await database.forgetUploadTokens(DAY_MS, 2), 0)
    for (const { hash } of [...old, ahead]) {
      assert.equal(await database.findUploadToken(hash), undefined)
    }
    assert.ok(await database.findUploadToken(recent.hash))
    const used = await addToken(data)
    const upload = await reserveWith(data, used.id)
    // As if it were two hours later, when the token has expired.
    const forgetLater = () => database.forgetUploadTokens(-2 * HOUR_MS, 100)
    assert.equal(await forgetLater(), 1)
    assert.ok(await database.findUploadToken(used.hash))
    await complete(data, upload.id)
    assert.equal(await forgetLater(), 1)
    assert.equal(await database.findUploadToken(used.hash), undefined)
  })
}
