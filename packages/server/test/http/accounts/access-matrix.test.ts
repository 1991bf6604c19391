import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areEmbedded } from '@stowage/testing/engines/test-engines'
import { ADMIN_KEY, anAccount } from '@stowage/testing/service/accounts'
import { aMatrix, isAllowed } from '../../support/access-matrix.ts'
import { readAccountState } from '../../support/account-state.ts'
import { onUnknownIds, targetsOf } from '../../support/matrix-targets.ts'
import { assertDocumented, SCOPES } from '../../support/openapi-operations.ts'

/* Runs on sqlite+disk and postgres+disk. */

test('a key with the required scope gets the documented response', async (t) => {
  const { operations, ours, send } = await aMatrix(t)
  for (const operation of operations) {
    const allowed = SCOPES.filter((scope) => isAllowed(scope, operation))
    const callers = [
      { caller: 'the admin key', secret: ADMIN_KEY },
      ...allowed.map((scope) => ({ caller: `a ${scope} key`, secret: ours.keys[scope].secret })),
    ]
    // The scope of a key is checked before the call uses the database, so on PostgreSQL one key suffices.
    for (const { caller, secret } of areEmbedded ? callers : callers.slice(0, 1)) {
      await t.test(`${operation.name} with ${caller}`, async () => {
        const targets = await targetsOf(operation, ours)
        const responses = await Promise.all(
          targets.map((target) => send(operation, target, secret)),
        )
        for (const response of responses) {
          assertDocumented(operation, response)
          // Whoever has such a URL acts as a buyer, also after the key is revoked.
          const isReader = caller === 'a read key' && operation.scope === 'read'
          if (isReader) assert.doesNotMatch(response.text, /\/d\/|\/unsubscribe\//)
        }
        const statuses = responses.map(({ status }) => status)
        assert.ok(
          statuses.includes(operation.success),
          `never succeeds: ${responses.map(({ text }) => text)}`,
        )
      })
    }
  }
})

test('with another account’s key, the response for an existing resource equals that for an unknown one', async (t) => {
  const { service, operations, ours, send } = await aMatrix(t)
  const { context } = service
  const theirs = await anAccount(service, { name: 'another account' })
  for (const operation of operations) {
    await t.test(operation.name, async () => {
      const targets = await targetsOf(operation, ours)
      const before = await readAccountState(context, ours.id)
      for (const target of targets) {
        const response = await send(operation, target, theirs.keys.manage.secret)
        assertDocumented(operation, response)
        if (target.fields.ids !== undefined) {
          assert.deepEqual([response.status, response.body.code], [422, 'invalid'], response.text)
          continue
        }
        if (target.fields.from !== undefined) {
          assert.deepEqual([response.status, response.body.code], [404, 'not_found'])
          continue
        }
        if (Object.keys(target.ids).length === 0) {
          const expected = operation.scope === 'operator' ? 403 : operation.success
          assert.equal(response.status, expected, response.text)
          continue
        }
        assert.deepEqual([response.status, response.body.code], [404, 'not_found'], target.state)
        const unknown = onUnknownIds(target, context.newId)
        for (const { keys } of [theirs, ours]) {
          const notThere = await send(operation, unknown, keys.manage.secret)
          assert.equal(notThere.status, 404)
          assert.equal(response.text, notThere.text)
          assert.deepEqual([...response.headers.keys()], [...notThere.headers.keys()])
        }
      }
      assert.deepEqual(await readAccountState(context, ours.id), before)
    })
  }
})
