import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import fc from 'fast-check'
import { v7 as newUuid } from 'uuid'
import type { FoundKey, Key, NewKey } from '../../domain/key.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import { MAX_REVOKED_KEYS } from '../key-data.ts'
import {
  after,
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  expireOverdue,
  firstVersion,
  inHours,
  KEEP,
  KEPT,
  NOON,
  OVERDUE,
  reserve,
  usageOf,
} from './builders.ts'

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

  test(
    name('a suspended account is suspended until it is resumed, and its uploads do not expire'),
    async (t) => {
      const { database, account, data } = await open(t)
      await addKey(data, { hash: 'abc' })
      const stateOfKey = async () => (await database.findKey('abc'))?.accountState
      assert.equal(await database.findAccountState(account.id), 'active')
      assert.equal(await database.findAccountState(newUuid()), undefined)
      const { upload } = await reserve(data, { size: 10 })
      const expiresAt = async () =>
        (await data.findUpload(upload.asset.id))?.expiresAt.getTime() ?? 0
      const before = await expiresAt()
      await database.suspendAccount(account.id)
      const suspended = await database.findAccount(account.name)
      assert.ok(suspended?.suspendedAt)
      await database.suspendAccount(account.id)
      assert.deepEqual(await database.findAccount(account.name), suspended)
      assert.equal(await database.findAccountState(account.id), 'suspended')
      assert.equal(await stateOfKey(), 'suspended')

      await until('some time has passed', async () => {
        return (await database.readClock()).getTime() > (suspended.suspendedAt?.getTime() ?? 0) + 5
      })
      const resumed = await Promise.all([1, 2].map(() => database.resumeAccount(account.id)))
      assert.deepEqual(resumed, ['resumed', 'resumed'])
      assert.equal(await stateOfKey(), 'active')
      const extendedBy = (await expiresAt()) - before
      const now = await database.readClock()
      assert.ok(extendedBy >= 4, `${extendedBy}`)
      assert.ok(extendedBy <= now.getTime() - (suspended.suspendedAt?.getTime() ?? 0) + 1)
      const { events } = await data.listEvents({ after: 0, limit: 100 })
      const types = events.map(({ type }) => type).filter((type) => type.startsWith('account.'))
      assert.deepEqual(types, ['account.suspended', 'account.resumed'])
    },
  )

  test(
    name('overdue uploads of a suspended account are kept, and those of others expire'),
    async (t) => {
      const { database, account, data } = await open(t)
      const other = database.of((await anAccount(database, 'other')).id)
      const kept = await reserve(data, { size: 1, ...OVERDUE })
      const overdue = await reserve(other, { size: 1, ...OVERDUE })
      await database.suspendAccount(account.id)
      const listed = (await database.listOverdueUploads(10)).map(({ asset }) => asset.id)
      assert.deepEqual(listed, [overdue.upload.asset.id])
      const ids = [kept.upload.asset.id, overdue.upload.asset.id]
      assert.deepEqual(await database.expireUploads(ids), [overdue.upload.asset.id])
    },
  )

  test(name('an account is renamed, unless another one has the name'), async (t) => {
    const { database, account } = await open(t)
    await anAccount(database, 'taken')
    assert.equal(await database.renameAccount(account.id, 'taken'), false)
    assert.equal(await database.renameAccount(account.id, 'renamed'), true)
    assert.equal(await database.findAccount(account.name), undefined)
    assert.equal((await database.findAccount('renamed'))?.id, account.id)
  })

  test(
    name('a deleted account is restored when it is resumed before its removal begins'),
    async (t) => {
      const { database, account, data } = await open(t)
      await addKey(data, { hash: 'abc' })
      const before = (await database.readClock()).getTime()
      const deleteAt = await database.deleteAccount(account.id, { afterMs: 60_000 })
      assert.ok((deleteAt?.getTime() ?? 0) >= before + 59_999)
      assert.equal((await database.findKey('abc'))?.accountState, 'deleted')
      assert.ok((await database.findAccount(account.name))?.suspendedAt)
      assert.equal(await database.resumeAccount(account.id), 'resumed')
      assert.deepEqual(await database.findAccount(account.name), account)
      assert.equal((await database.findKey('abc'))?.accountState, 'active')
    },
  )

  test(name('a removal is claimed when the grace period is over, by one instance'), async (t) => {
    const { database, account } = await open(t)
    const other = await anAccount(database, 'other')
    await database.deleteAccount(account.id, { afterMs: 60_000 })
    assert.equal(await database.claimAccountRemoval(), undefined)
    assert.equal(await database.removeAccountRows(account.id, 10), 0)
    assert.equal(await database.removeAccount(account.id), false)
    await database.deleteAccount(account.id, { afterMs: 0 })
    const claims = await Promise.all([1, 2, 3].map(() => database.claimAccountRemoval()))
    assert.deepEqual(claims.filter(Boolean), [account.id])
    assert.equal(await database.resumeAccount(account.id), 'removal_started')
    await database.releaseAccountRemoval(account.id)
    assert.equal(await database.claimAccountRemoval(), account.id)
    assert.ok(await database.findAccount(other.name))
  })

  test(
    name('the rows of a deleted account are removed in batches, and then the account'),
    async (t) => {
      const { database, account, data } = await open(t)
      const other = await anAccount(database, 'other')
      const file = await aReadyAsset(data, { size: 5 })
      const kept = await aReadyAsset(database.of(other.id), { size: 7 })
      for (const variantId of [11, 12, 13])
        await data.putProducts([aProduct({ id: newUuid(), variantId })])
      await database.deleteAccount(account.id, { afterMs: 0 })
      await database.claimAccountRemoval()
      const removeRows = async () => {
        while ((await database.removeAccountRows(account.id, 2)) > 0);
      }
      await removeRows()
      assert.equal(await database.removeAccount(account.id), false)
      await data.deleteAssets([file])
      await removeRows()
      assert.equal(await database.removeAccount(account.id), true)
      assert.equal(await database.findAccount(account.name), undefined)
      assert.deepEqual(
        (await database.listRemovals(10)).map(({ key }) => key),
        [file],
      )
      assert.deepEqual(
        (await database.listRecords(undefined, 10)).map(({ asset }) => asset.id),
        [kept],
      )
      assert.equal((await usageOf(database.of(other.id))).stored, 7)
      assert.deepEqual(
        (await database.compareUsage()).map(({ accountId }) => accountId),
        [other.id],
      )
    },
  )

  test(name('a key is found by its hash, and listed in its own account only'), async (t) => {
    const { database, account, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    const details = aKey({ hash: 'abc' })
    const key = await addKey(data, details)
    const unused = { expiresAt: null, lastUsedAt: null, revokedAt: null }
    assert.deepEqual(key, { ...details, ...unused, accountId: account.id })
    const found: FoundKey = { ...key, isExpired: false, accountState: 'active' }
    assert.deepEqual(await database.findKey('abc'), found)
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

  test(
    name('a key that has expired is found as such, is not active, and is not the last manage key'),
    async (t) => {
      const { database, data } = await open(t)
      const expiresAt = new Date((await database.readClock()).getTime() - 1)
      const expired = await addKey(data, { scope: 'manage', hash: 'expired', expiresAt })
      const valid = await addKey(data, { scope: 'manage', hash: 'valid', expiresAt: inHours(1) })
      assert.deepEqual((await database.findKey('expired'))?.isExpired, true)
      assert.deepEqual((await database.findKey('valid'))?.isExpired, false)
      assert.deepEqual(
        (await data.listKeys()).map((key) => key.expiresAt),
        [expiresAt, valid.expiresAt],
      )
      assert.equal(await data.addKey(aKey(), 1), undefined)
      const options = { now: NOON, keepLast: true }
      assert.equal(await data.revokeKey(valid.id, options), 'last_manage_key')
      assert.equal(await data.revokeKey(expired.id, options), 'revoked')
      assert.ok(await data.addKey(aKey(), 2))
    },
  )

  test(name('keys that expired long ago are forgotten'), async (t) => {
    const { database, data } = await open(t)
    await addKey(data, { hash: 'old', expiresAt: NOON })
    await addKey(data, { hash: 'newer', expiresAt: after(2) })
    await addKey(data, { hash: 'unlimited' })
    assert.equal(await database.forgetRevokedKeys(NOON, 10), 0)
    assert.equal(await database.forgetRevokedKeys(after(1), 10), 1)
    assert.deepEqual((await data.listKeys()).map(({ hash }) => hash).sort(), ['newer', 'unlimited'])
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
      expiresAt: null,
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

const SESSION_LIMITS = { lifetimeMs: 60_000, maxPerKey: 100 }

/** The contract for the sessions of the dashboard. */
export function testSessions({ name, open }: Contract): void {
  test(name('a session is found by its token until it is removed'), async (t) => {
    const { database } = await open(t)
    const before = (await database.readClock()).getTime()
    const expiresAt = await database.addSession(aSession('one'), SESSION_LIMITS)
    const after = (await database.readClock()).getTime()
    // PostgreSQL rounds to milliseconds.
    assert.ok(expiresAt.getTime() >= before + 60_000 - 1, `${expiresAt}`)
    assert.ok(expiresAt.getTime() <= after + 60_000 + 1, `${expiresAt}`)
    await database.addSession(aSession('two'), SESSION_LIMITS)
    assert.deepEqual(await database.findSession('one'), { keyHash: 'hash of one', expiresAt })
    assert.equal(await database.findSession('three'), undefined)
    await database.removeSession('one')
    await database.removeSession('one')
    assert.equal(await database.findSession('one'), undefined)
    assert.ok(await database.findSession('two'))
  })

  test(name('an expired session is not found'), async (t) => {
    const { database } = await open(t)
    await database.addSession(aSession('expired'), { ...SESSION_LIMITS, lifetimeMs: -1 })
    assert.equal(await database.findSession('expired'), undefined)
    // Adding a session removes expired ones, so their tokens are free again.
    await database.addSession(aSession('expired'), SESSION_LIMITS)
    assert.ok(await database.findSession('expired'))
  })

  test(name('the oldest sessions of a key are removed when it has too many'), async (t) => {
    const { database } = await open(t)
    const add = (token: string, keyId: string) =>
      database.addSession({ ...aSession(token), keyId }, { ...SESSION_LIMITS, maxPerKey: 2 })
    await add('other', 'another key')
    for (const token of ['a', 'b', 'c']) {
      await add(token, 'a key')
      // Sessions of the same millisecond have no order.
      const start = Date.now()
      while (Date.now() <= start + 1);
    }
    const tokens = ['a', 'b', 'c', 'other']
    const found = await Promise.all(tokens.map((token) => database.findSession(token)))
    assert.deepEqual(
      found.map((session) => session !== undefined),
      [false, true, true, true],
    )
  })

  test(name('many sessions can be added and removed at the same time'), async (t) => {
    const { database } = await open(t)
    const tokens = Array.from({ length: 30 }, (_, index) => `token ${index}`)
    const limits = { ...SESSION_LIMITS, maxPerKey: 5 }
    await Promise.all(
      tokens.map(async (token) => {
        await database.addSession(aSession(token), limits)
        await database.removeSession(token)
      }),
    )
    const found = await Promise.all(tokens.map((token) => database.findSession(token)))
    assert.ok(found.every((session) => session === undefined))
  })
}

function aSession(token: string) {
  return { tokenHash: token, keyId: 'a key', keyHash: `hash of ${token}` }
}

const TYPES: Record<string, string[]> = {
  image: ['image/png', 'IMAGE/JPEG', 'image/svg+xml; charset=utf-8'],
  video: ['video/mp4'],
  audio: ['audio/x-wav'],
  document: [
    'text/plain; charset=utf-8',
    'Application/PDF',
    'application/pdf ;x="a;b"',
    'application/epub+zip',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    'application/vnd.oasis.opendocument.text',
    'application/vnd.ms-excel',
  ],
  archive: ['application/zip', 'application/x-7z-compressed', 'application/gzip'],
  other: ['application/octet-stream', 'font/woff2', 'imagery/png', 'application/pdfx', 'x/image'],
}

/** The contract for the usage by type. */
export function testUsage({ name, open }: Contract): void {
  test(
    name('every media type belongs to one type, regardless of upper case and parameters'),
    async (t) => {
      const { data } = await open(t, { planStorage: 1e9 })
      for (const [type, mimes] of Object.entries(TYPES)) {
        for (const mime of mimes) {
          const id = await aReadyAsset(data, { size: 7, mime })
          assert.deepEqual(await data.readUsage(), [{ type, bytes: 7, assets: 1 }], mime)
          await data.deleteAsset(id)
        }
      }
      assert.deepEqual(await data.readUsage(), [])
    },
  )

  test(
    name('usage counts only ready assets, counts links with 0 bytes, and lists most bytes first'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const other = database.of((await anAccount(database, 'other', 1000)).id)
      await reserve(data, { size: 500, mime: 'video/mp4' })
      await aReadyAsset(data, { size: 10, mime: 'image/png' })
      await aReadyAsset(data, { size: 20, mime: 'image/gif' })
      await aReadyAsset(data, { size: 40, mime: 'audio/ogg' })
      const link = await aLink(data, { bytes: 99 })
      await aReadyAsset(other, { size: 1, mime: 'image/png' })
      await data.changeAsset(link, { bytes: 77, filename: 'other' })
      assert.deepEqual(await data.readUsage(), [
        { type: 'audio', bytes: 40, assets: 1 },
        { type: 'image', bytes: 30, assets: 2 },
        { type: 'link', bytes: 0, assets: 1 },
      ])
    },
  )

  test(name('a thousand unknown media types are counted in one row'), async (t) => {
    const { data } = await open(t, { planStorage: 1e9 })
    const assets = Array.from({ length: 1000 }, (_, index) => {
      const upload = anUpload({ size: 3, mime: `x-${index}/y-${index}` })
      return {
        asset: { ...upload.asset, status: 'ready' as const },
        upload: { id: upload.id, chunkSize: upload.chunkSize, expiresAt: upload.expiresAt },
        idempotency: undefined,
        changedAt: NOON,
        productIds: [],
        ...firstVersion(upload),
      }
    })
    await data.importRecords({ keys: [], assets })
    await data.importRecords({ keys: [], assets })
    assert.deepEqual(await data.readUsage(), [{ type: 'other', bytes: 3000, assets: 1000 }])
  })

  test(
    name('completing and deleting concurrently keeps the usage exact and does not deadlock'),
    async (t) => {
      const { data } = await open(t, { planStorage: 1e9 })
      const some = Array.from({ length: 30 }, (_, size) => ({ size, mime: 'image/png' }))
      const ready = await Promise.all(some.map((facts) => aReadyAsset(data, facts)))
      const coming = await Promise.all(some.map((facts) => reserve(data, facts)))
      const begun = coming.map(({ upload }) => upload.asset.id)
      for (const id of begun) await data.beginCompletion(id, KEPT)
      await Promise.all([
        ...ready.map((id) => data.deleteAsset(id)),
        ...begun.map((id) => data.finishCompletion(id, KEEP)),
        ...some.map(() => aLink(data)),
      ])
      const usage = await data.readUsage()
      const { stored, assets } = await data.readSummary()
      assert.equal(
        usage.reduce((sum, { bytes }) => sum + bytes, 0),
        stored,
      )
      assert.equal(
        usage.reduce((sum, each) => sum + each.assets, 0),
        assets,
      )
    },
  )

  test(name('after any operations the usage equals the sum of the rows'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1e9 })
    await data.putProducts([aProduct()])
    const mime = fc.constantFrom(...Object.values(TYPES).flat())
    const step = fc.record({ kind: fc.nat(6), mime, size: fc.nat(50), pick: fc.nat(20) })
    const operations = fc.array(step, { minLength: 5, maxLength: 15 })
    const ready: string[] = []
    await fc.assert(
      fc.asyncProperty(operations, async (steps) => {
        for (const one of steps) await takeStep({ database, data, ready }, one)
        for (const { counted, actual } of await database.compareUsage()) {
          assert.deepEqual(counted, actual)
        }
      }),
      { numRuns: 10 },
    )
  })
}

interface Step {
  kind: number
  mime: string
  size: number
  pick: number
}

async function takeStep(
  { database, data, ready }: { database: Database; data: AccountData; ready: string[] },
  { kind, mime, size, pick }: Step,
): Promise<void> {
  const id = ready[pick % Math.max(1, ready.length)] ?? anUpload().asset.id
  if (kind === 0) ready.push(await aReadyAsset(data, { size, mime }))
  else if (kind === 1) ready.push(await aLink(data, { bytes: size }))
  else if (kind === 2) await data.deleteAsset(id)
  else if (kind === 3) await data.changeAsset(id, { filename: `${size}.zip` })
  else if (kind === 4) {
    await data.attachProducts(id, { productIds: [1], variantIds: [], ids: [], skus: [] })
  } else if (kind === 5) {
    const { upload } = await reserve(data, { size, mime, ...OVERDUE })
    await data.beginCompletion(upload.asset.id, OVERDUE)
    await data.abandonCompletion(upload.asset.id, 0)
  } else {
    await reserve(data, { size, mime, ...OVERDUE })
    await expireOverdue(database)
    await database.forgetEndedAssets(inHours(2), 10)
  }
}
