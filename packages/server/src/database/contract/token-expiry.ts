import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { v7 as newUuid } from 'uuid'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { anAccount, anUpload, type Contract, KEPT } from './builders.ts'
import { addToken, complete, outcomeOf, reserveWith } from './token-builders.ts'

const HOUR_MS = 3_600_000
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
