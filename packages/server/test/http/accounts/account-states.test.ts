import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { callerWith, type TextResponse } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import { aMatrix } from '../../support/access-matrix.ts'
import { readAccountState } from '../../support/account-state.ts'
import { targetsOf } from '../../support/matrix-targets.ts'
import {
  assertDocumented,
  fillCall,
  type Operation,
  type Target,
} from '../../support/openapi-operations.ts'

/* Runs on sqlite+disk and postgres+disk. */

/** Calls that a suspended account refuses. */
function isChange({ method, scope }: Operation): boolean {
  return method !== 'GET' && scope !== 'read' && scope !== 'public' && scope !== 'operator'
}

test('each operation knows suspended and deleted accounts and expired keys, for keys, upload tokens and sessions', async (t) => {
  const { service, operations, ours } = await aMatrix(t)
  const { context, baseUrl } = service
  const { database } = context
  const targets: { operation: Operation; target: Target }[] = []
  for (const operation of operations) {
    for (const target of await targetsOf(operation, ours)) targets.push({ operation, target })
  }
  const expiring = await ours.call('POST', `${API}/keys`, {
    ...{ name: 'expiring', scope: 'manage' },
    expires_at: new Date(Date.now() + 10_000).toISOString(),
  })
  const expired: string = expiring.body.data.secret
  const tokenOf = async (key: string) => {
    const made = await callerWith(baseUrl, key)('POST', `${API}/upload-tokens`, { max_bytes: 100 })
    assert.equal(made.status, 201, made.text)
    return made.body.token as string
  }
  const tokens = { ours: await tokenOf(ours.keys.manage.secret), expired: await tokenOf(expired) }
  const cookieOf = async (key: string) => {
    const made = await callerWith(baseUrl, key)('POST', `${API}/session`, {})
    assert.equal(made.status, 201, made.text)
    return { Cookie: made.headers.getSetCookie()[0]?.split(';')[0] ?? '', Origin: baseUrl }
  }
  const cookies = {
    ours: await cookieOf(ours.keys.manage.secret),
    expired: await cookieOf(expired),
  }

  type Credential = string | Record<string, string>
  function send({ operation, target }: (typeof targets)[number], credential: Credential) {
    const { path, body, headers } = fillCall(operation, target)
    const isKey = typeof credential === 'string'
    const given = { ...headers, ...(isKey ? {} : credential) }
    return callerWith(baseUrl, isKey ? credential : undefined)(operation.method, path, body, given)
  }
  const isOfAccount = ({ operation }: (typeof targets)[number]) => operation.scope !== 'public'
  async function refuses(
    expected: [status: number, code: string],
    credentials: Credential[],
    selected = targets.filter(isOfAccount),
  ) {
    for (const each of selected) {
      for (const credential of credentials) {
        const response: TextResponse = await send(each, credential)
        const got = `${each.operation.name}, ${each.target.state}: ${response.text}`
        assert.deepEqual([response.status, response.body?.code], expected, got)
        assertDocumented(each.operation, response)
      }
    }
  }

  await t.test('a suspended account refuses changes, and nothing changes', async () => {
    await database.suspendAccount(ours.id)
    const before = await readAccountState(context, ours.id)
    const changes = targets.filter(({ operation }) => isChange(operation))
    assert.ok(changes.length > 60, `${changes.length}`)
    const own = [ours.keys.manage.secret, cookies.ours]
    await refuses([403, 'account_suspended'], own, changes)
    const ofTokens = changes.filter(({ operation }) => operation.allowsUploadTokens)
    await refuses([403, 'account_suspended'], [tokens.ours], ofTokens)
    assert.deepEqual(await readAccountState(context, ours.id), before)
    for (const each of targets.filter(({ operation }) => !isChange(operation))) {
      if (each.operation.scope === 'operator' || each.operation.name.startsWith('DELETE')) continue
      const response = await send(each, ours.keys.manage.secret)
      assert.ok(response.status !== 401 && response.status !== 403, response.text)
      assertDocumented(each.operation, response)
    }
  })

  await t.test('a deleted account refuses every call, and nothing changes', async () => {
    await database.deleteAccount(ours.id, { afterMs: 3_600_000 })
    const before = await readAccountState(context, ours.id)
    await refuses([403, 'account_deleted'], [ours.keys.manage.secret, cookies.ours, tokens.ours])
    assert.deepEqual(await readAccountState(context, ours.id), before)
    assert.equal(await database.resumeAccount(ours.id), 'resumed')
  })

  await t.test(
    'an expired key is refused by every call, as are its sessions and tokens',
    async () => {
      const read = callerWith(baseUrl, expired)
      await until('the key has expired', async () => {
        return (await read('GET', `${API}/account`)).status === 401
      })
      const before = await readAccountState(context, ours.id)
      await refuses([401, 'key_expired'], [expired])
      // Each call is made at a later time, so that the number of wrong credentials stays below the limit.
      let seconds = 0
      context.clock = () => new Date(Date.now() + seconds * 1000)
      for (const each of targets.filter(isOfAccount)) {
        seconds += 10
        await refuses([401, 'unauthenticated'], [tokens.expired, cookies.expired], [each])
      }
      assert.deepEqual(await readAccountState(context, ours.id), before)
    },
  )
})
