import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { TextResponse } from '@stowage/testing/service/accounts'
import { API } from '@stowage/testing/service/upload'
import { formatApiKey } from '../../../src/domain/key.ts'
import { aMatrix, isAllowed } from '../../support/access-matrix.ts'
import { readWholeState } from '../../support/account-state.ts'
import { routesOf } from '../../support/app-routes.ts'
import { targetsOf } from '../../support/matrix-targets.ts'
import { assertDocumented, operationsOf, SCOPES } from '../../support/openapi-operations.ts'
import { requestToken } from '../../support/upload-tokens.ts'

function assertUnauthenticated({ status, headers, body, text }: TextResponse): void {
  assert.deepEqual([status, body.code], [401, 'unauthenticated'], text)
  assert.match(headers.get('www-authenticate') ?? '', /^Bearer\b/)
}

test('every operation states its scope: account data needs a key, and changes need more than read', async (t) => {
  const { operations } = await aMatrix(t)
  assert.ok(operations.length > 20)
  for (const { name, method, path, scope } of operations) {
    if (path.startsWith(API)) assert.notEqual(scope, 'public', name)
    // Any key may sign in and out: a session is not account data.
    // An archive is a download: the service only records what it consists of.
    const changesNothing = path === `${API}/session` || path === `${API}/archives`
    if (method !== 'GET' && !changesNothing) assert.notEqual(scope, 'read', name)
    if (/\/(keys|webhooks)/.test(path)) assert.equal(scope, 'manage', name)
  }
})

test('the OpenAPI document and the routes of the service contain the same operations', async (t) => {
  const { service, operations } = await aMatrix(t)
  const routes = new Set(await routesOf(service))
  const documented = new Set(operations.map(({ name }) => name.replaceAll(/\{(\w+)\}/g, ':$1')))
  assert.deepEqual(
    [...documented].filter((name) => !routes.has(name)),
    [],
  )
  const ofInterface = [...routes].filter((name) => name.includes(` ${API}`))
  const unknown = ofInterface.filter((name) => !documented.has(name.replace(/^HEAD /, 'GET ')))
  assert.deepEqual(unknown, [])
  assert.ok(ofInterface.length > operations.length)
})

test('an operation without a scope, or with an unknown path parameter, fails these tests', async (t) => {
  const { service, operations, ours } = await aMatrix(t)
  const { body: document } = await service.call('GET', '/openapi.json')
  for (const scope of [undefined, 'everyone']) {
    const item = { get: { ...document.paths['/healthz'].get, 'x-scope': scope } }
    assert.throws(() => operationsOf({ paths: { '/new': item } }), /GET \/new has no valid x-scope/)
  }
  const [operation] = operations
  assert.ok(operation)
  for (const path of ['/things/{id}', '/assets/{other}', '/{id}', '/assets/{id}/parts/{part}']) {
    await assert.rejects(targetsOf({ ...operation, path }, ours), /no test resource/)
  }
})

test('without a valid key, every operation on account data returns 401 and changes nothing', async (t) => {
  const { service, operations, ours, send, existingAndUnknownTargets } = await aMatrix(t)
  const revoked = (await ours.call('POST', `${API}/keys`, { name: 'old', scope: 'manage' })).body
    .data
  await ours.call('DELETE', `${API}/keys/${revoked.id}`)
  const { secret } = ours.keys.manage
  const invalidKeys: Record<string, string | undefined> = {
    'no key': undefined,
    'a mistyped key': secret.slice(0, -1) + (secret.endsWith('0') ? '1' : '0'),
    'an unknown key': formatApiKey(randomBytes(32)),
    'a revoked key': revoked.secret,
  }
  // Each operation is called at a later time, so that the number of wrong keys stays below the limit.
  let seconds = 0
  service.context.clock = () => new Date(Date.now() + seconds * 1000)
  for (const operation of operations) {
    seconds += 60
    const targets = await existingAndUnknownTargets(operation)
    const before = await readWholeState(service.context)
    for (const [description, key] of Object.entries(invalidKeys)) {
      await t.test(`${operation.name} with ${description}`, async () => {
        for (const target of targets) {
          const response = await send(operation, target, key)
          assertDocumented(operation, response)
          if (operation.scope === 'public') assert.equal(response.status, operation.success)
          else assertUnauthenticated(response)
        }
      })
    }
    await t.test(`${operation.name} changes nothing`, async () => {
      assert.deepEqual(await readWholeState(service.context), before)
    })
  }
})

test('a key without the required scope gets 403, which names the scope, and changes nothing', async (t) => {
  const { service, operations, ours, send, existingAndUnknownTargets } = await aMatrix(t)
  for (const operation of operations) {
    const lacking = SCOPES.filter((scope) => !isAllowed(scope, operation))
    const targets = lacking.length > 0 ? await existingAndUnknownTargets(operation) : []
    const before = await readWholeState(service.context)
    for (const scope of lacking) {
      await t.test(`${operation.name} with a ${scope} key`, async () => {
        for (const target of targets) {
          const response = await send(operation, target, ours.keys[scope].secret)
          assertDocumented(operation, response)
          assert.deepEqual([response.status, response.body.code], [403, 'forbidden'], response.text)
          assert.match(response.body.message, new RegExp(`\\b${operation.scope}\\b`))
        }
      })
    }
    await t.test(`${operation.name} changes nothing`, async () => {
      assert.deepEqual(await readWholeState(service.context), before)
    })
  }
})

test('an upload token gets 404 for uploads that are not its own, 403 for other calls, and changes nothing', async (t) => {
  const { service, operations, ours, send, existingAndUnknownTargets } = await aMatrix(t)
  const { token } = await requestToken(ours.call)
  const allowed = operations.filter(({ allowsUploadTokens }) => allowsUploadTokens)
  assert.deepEqual(
    allowed.map(({ name }) => name.replace(API, '')),
    [
      'POST /assets/signed',
      'POST /assets/{id}/uploaded',
      'PUT /assets/{id}/uploaded',
      'POST /assets/{id}/cancel',
      'GET /assets/{id}/upload',
      'PATCH /assets/{id}/upload',
      'POST /assets/{id}/signed',
    ],
  )
  for (const operation of operations.filter(({ scope }) => scope !== 'public')) {
    // The token may start an upload.
    if (operation.path === `${API}/assets/signed`) continue
    await t.test(operation.name, async () => {
      const targets = await existingAndUnknownTargets(operation)
      const before = await readWholeState(service.context)
      for (const target of targets) {
        const response = await send(operation, target, token)
        assertDocumented(operation, response)
        // Other uploads are hidden from the token. `/signed` is forbidden, because this token replaces no asset.
        const isHidden = operation.allowsUploadTokens && !operation.path.endsWith('/signed')
        const expected = isHidden ? [404, 'not_found'] : [403, 'forbidden']
        assert.deepEqual([response.status, response.body.code], expected, response.text)
      }
      assert.deepEqual(await readWholeState(service.context), before)
    })
  }
})
