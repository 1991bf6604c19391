import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { Key, NewKey } from '../../domain/key.ts'
import type { AccountData } from '../account-data.ts'
import { MAX_REVOKED_KEYS } from '../key-data.ts'
import { after, anAccount, type Contract, NOON, usageOf } from './builders.ts'

/** The contract for accounts and keys. */
export function testAccounts({ name, open }: Contract): void {
  test(name('an existing account keeps its ID and plan'), async (t) => {
    const { database, account, data } = await open(t)
    assert.deepEqual(await anAccount(database, 'default', 5), account)
    await database.changePlan(account.id, { name: 'large', storage: 500 })
    assert.equal((await usageOf(data)).limit, 500)
  })

  test(name('the check succeeds on a working database'), async (t) => {
    const { database } = await open(t)
    await database.check()
  })

  test(name('accounts are found by name and listed'), async (t) => {
    const { database, account } = await open(t)
    const other = await anAccount(database, 'another')
    assert.deepEqual(await database.findAccount('another'), other)
    assert.equal(await database.findAccount('nobody'), undefined)
    assert.deepEqual(await database.listAccounts(), [other, account])
  })

  test(name('a key is found by its hash, and listed in its own account only'), async (t) => {
    const { database, account, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    const details = aKey({ hash: 'abc' })
    const key = await addKey(data, details)
    assert.deepEqual(key, { ...details, accountId: account.id, lastUsedAt: null, revokedAt: null })
    assert.deepEqual(await database.findKey('abc'), key)
    assert.equal(await database.findKey('abd'), undefined)
    assert.deepEqual(await data.listKeys(), [key])
    assert.deepEqual(await other.listKeys(), [])
    await database.touchKey(key.id, after(1))
    assert.deepEqual((await database.findKey('abc'))?.lastUsedAt, after(1))
  })

  test(
    name('a revoked key can still be found, and another account’s key cannot be revoked'),
    async (t) => {
      const { database, data } = await open(t)
      const other = database.of((await anAccount(database, 'other')).id)
      const { id } = await addKey(data, { scope: 'write', hash: 'abc' })
      const options = { now: after(1), keepLast: true }
      assert.equal(await other.revokeKey(id, options), 'not_found')
      assert.equal(await data.revokeKey(id, options), 'revoked')
      assert.equal(await data.revokeKey(id, { ...options, now: after(2) }), 'revoked')
      assert.deepEqual((await database.findKey('abc'))?.revokedAt, after(1))
      assert.equal(await data.revokeKey(newUuid(), options), 'not_found')
    },
  )

  test(
    name('the last manage key is kept when two are revoked concurrently, unless keepLast is false'),
    async (t) => {
      const { data } = await open(t)
      const keys = await Promise.all([1, 2].map(() => addKey(data, { scope: 'manage' })))
      const revoke = (id: string, keepLast: boolean) => data.revokeKey(id, { now: NOON, keepLast })
      const outcomes = await Promise.all(keys.map(({ id }) => revoke(id, true)))
      assert.deepEqual(outcomes.toSorted(), ['last_manage_key', 'revoked'])
      const [last] = (await data.listKeys()).filter(({ revokedAt }) => revokedAt === null)
      assert.equal(await revoke(last?.id ?? '', false), 'revoked')
    },
  )

  test(name('requests are counted by caller and window'), async (t) => {
    const { database } = await open(t)
    const count = async (keyId: string, time: Date) =>
      (await database.countRequest({ keyId, group: 'account', limit: 10 }, time)).ofKey
    assert.equal(await count('a', NOON), 1)
    assert.equal(await count('a', NOON), 2)
    assert.equal(await count('b', NOON), 1)
    assert.equal(await count('a', after(1 / 60)), 1)
    // This request waited for the database while the next window began.
    assert.equal(await count('a', NOON), 3)
    assert.equal(await count('a', after(1 / 60)), 2)
  })

  test(
    name('requests also count for a group, except for those above the limit of their key'),
    async (t) => {
      const { database } = await open(t)
      const count = (keyId: string, group = 'one') =>
        database.countRequest({ keyId, group, limit: 2 }, NOON)
      assert.deepEqual(await count('a'), { ofKey: 1, ofGroup: 1 })
      assert.deepEqual(await count('b'), { ofKey: 1, ofGroup: 2 })
      assert.deepEqual(await count('a'), { ofKey: 2, ofGroup: 3 })
      assert.deepEqual(await count('a'), { ofKey: 3, ofGroup: 3 })
      assert.deepEqual(await count('c', 'other'), { ofKey: 1, ofGroup: 1 })
      const keys = Array.from({ length: 20 }, (_, index) => `key ${index % 4}`)
      await Promise.all(keys.map((key) => count(key, 'third')))
      assert.deepEqual(await count('key 0', 'third'), { ofKey: 6, ofGroup: 8 })
    },
  )

  test(name('concurrent calls cannot exceed the maximum number of active keys'), async (t) => {
    const { database, data } = await open(t)
    await addKey(database.of((await anAccount(database, 'other')).id))
    const revoked = await addKey(data)
    await data.revokeKey(revoked.id, { now: NOON, keepLast: false })
    const active = [await addKey(data), await addKey(data), await addKey(data)]
    // Calls do not always overlap, so there are several rounds.
    for (let round = 0; round < 10; round += 1) {
      await data.revokeKey(active.pop()?.id ?? '', { now: NOON, keepLast: false })
      const added = await Promise.all([1, 2, 3, 4].map(() => data.addKey(aKey(), 3)))
      active.push(...added.filter((key) => key !== undefined))
      assert.equal(active.length, 3)
    }
  })

  test(name('keys that were revoked long ago are forgotten, a few at a time'), async (t) => {
    const { database, data } = await open(t)
    const keys = [await addKey(data), await addKey(data), await addKey(data), await addKey(data)]
    const [first, second, third] = keys
    for (const key of [first, second]) {
      await data.revokeKey(key?.id ?? '', { now: NOON, keepLast: false })
    }
    await data.revokeKey(third?.id ?? '', { now: after(2), keepLast: false })
    assert.equal(await database.forgetRevokedKeys(NOON, 10), 0)
    assert.equal(await database.forgetRevokedKeys(after(1), 1), 1)
    assert.equal(await database.forgetRevokedKeys(after(1), 10), 1)
    assert.equal(await database.forgetRevokedKeys(after(1), 10), 0)
    const ids = (await data.listKeys()).map(({ id }) => id)
    assert.deepEqual(
      ids,
      keys.slice(2).map(({ id }) => id),
    )
    assert.equal(await database.findKey(first?.hash ?? ''), undefined)
  })

  test(name('a limited number of revoked keys is kept, the latest ones'), async (t) => {
    const { account, data } = await open(t)
    const keys = Array.from({ length: MAX_REVOKED_KEYS + 2 }, (_, index) => ({
      ...aKey(),
      accountId: account.id,
      lastUsedAt: null,
      revokedAt: after(index),
    }))
    await data.importRecords({ keys, assets: [] })
    const added = await addKey(data)
    const ids = (await data.listKeys()).map(({ id }) => id)
    assert.deepEqual(
      ids,
      [...keys.slice(2), added].map(({ id }) => id),
    )
  })
}

export async function addKey(data: AccountData, facts: Partial<NewKey> = {}): Promise<Key> {
  const key = await data.addKey(aKey(facts), 1000)
  assert.ok(key)
  return key
}

export function aKey(facts: Partial<NewKey> = {}): NewKey {
  const id = newUuid()
  return {
    id,
    name: 'a key',
    scope: 'read',
    hash: id,
    hint: 'stow_…abcd',
    createdAt: NOON,
    ...facts,
  }
}
