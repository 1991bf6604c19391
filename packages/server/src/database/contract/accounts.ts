import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { NewKey } from '../../domain/key.ts'
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
    const key = await data.addKey(details)
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
      const { id } = await data.addKey(aKey({ scope: 'write', hash: 'abc' }))
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
      const keys = await Promise.all([1, 2].map(() => data.addKey(aKey({ scope: 'manage' }))))
      const revoke = (id: string, keepLast: boolean) => data.revokeKey(id, { now: NOON, keepLast })
      const outcomes = await Promise.all(keys.map(({ id }) => revoke(id, true)))
      assert.deepEqual(outcomes.toSorted(), ['last_manage_key', 'revoked'])
      const [last] = (await data.listKeys()).filter(({ revokedAt }) => revokedAt === null)
      assert.equal(await revoke(last?.id ?? '', false), 'revoked')
    },
  )

  test(name('requests are counted by caller and window'), async (t) => {
    const { database } = await open(t)
    assert.equal(await database.countRequest('a', NOON), 1)
    assert.equal(await database.countRequest('a', NOON), 2)
    assert.equal(await database.countRequest('b', NOON), 1)
    assert.equal(await database.countRequest('a', after(1 / 60)), 1)
    // This request waited for the database while the next window began.
    assert.equal(await database.countRequest('a', NOON), 3)
    assert.equal(await database.countRequest('a', after(1 / 60)), 2)
  })
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
