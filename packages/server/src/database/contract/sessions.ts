import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Contract } from './builders.ts'

const LIMITS = { lifetimeMs: 60_000, maxPerKey: 100 }

/** The contract for the sessions of the dashboard. */
export function testSessions({ name, open }: Contract): void {
  test(name('a session is found by its token until it is removed'), async (t) => {
    const { database } = await open(t)
    const before = (await database.readClock()).getTime()
    const expiresAt = await database.addSession(aSession('one'), LIMITS)
    const after = (await database.readClock()).getTime()
    // PostgreSQL rounds to milliseconds.
    assert.ok(expiresAt.getTime() >= before + 60_000 - 1, `${expiresAt}`)
    assert.ok(expiresAt.getTime() <= after + 60_000 + 1, `${expiresAt}`)
    await database.addSession(aSession('two'), LIMITS)
    assert.deepEqual(await database.findSession('one'), { keyHash: 'hash of one', expiresAt })
    assert.equal(await database.findSession('three'), undefined)
    await database.removeSession('one')
    await database.removeSession('one')
    assert.equal(await database.findSession('one'), undefined)
    assert.ok(await database.findSession('two'))
  })

  test(name('an expired session is not found'), async (t) => {
    const { database } = await open(t)
    await database.addSession(aSession('expired'), { ...LIMITS, lifetimeMs: -1 })
    assert.equal(await database.findSession('expired'), undefined)
    // Adding a session removes expired ones, so their tokens are free again.
    await database.addSession(aSession('expired'), LIMITS)
    assert.ok(await database.findSession('expired'))
  })

  test(name('the oldest sessions of a key are removed when it has too many'), async (t) => {
    const { database } = await open(t)
    const add = (token: string, keyId: string) =>
      database.addSession({ ...aSession(token), keyId }, { ...LIMITS, maxPerKey: 2 })
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
    const limits = { ...LIMITS, maxPerKey: 5 }
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
