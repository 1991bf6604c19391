import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  type TestAccount,
  type TextResponse,
} from '@stowage/testing/service/accounts'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { formatApiKey } from '../../../src/domain/api-key.ts'
import { readAccountState, readWholeState } from '../../support/account-state.ts'
import { routesOf } from '../../support/app-routes.ts'
import { onUnknownIds, targetsOf } from '../../support/matrix-targets.ts'
import {
  assertDocumented,
  fillCall,
  type Operation,
  operationsOf,
  SCOPES,
  type Target,
} from '../../support/openapi-operations.ts'
import { requestToken } from '../../support/upload-tokens.ts'

interface Matrix {
  service: TestService
  operations: Operation[]
  ours: TestAccount
  /** Existing resources of the account to call the operation on, and as many IDs that never existed. */
  existingAndUnknownTargets(operation: Operation): Promise<Target[]>
  send(operation: Operation, target: Target, secret?: string): Promise<TextResponse>
}

async function aMatrix(t: TestContext): Promise<Matrix> {
  const service = await aKeyedService(t)
  const document = await service.call('GET', '/openapi.json')
  const operations = operationsOf(document.body)
  const ours = await anAccount(service, { name: 'default' })
  // The examples of other operations refer to these products.
  const products = operations.find(({ name }) => name === `PUT ${API}/products`)
  const stored = await ours.call('PUT', `${API}/products`, products?.body)
  assert.equal(stored.status, 200, stored.text)
  return {
    service,
    operations,
    ours,
    async existingAndUnknownTargets(operation) {
      const targets = await targetsOf(operation, ours)
      return [...targets, ...targets.map((one) => onUnknownIds(one, service.context.newId))]
    },
    send(operation, target, secret) {
      const { path, body, headers } = fillCall(operation, target)
      return callerWith(service.baseUrl, secret)(operation.method, path, body, headers)
    },
  }
}

function isAllowed(held: (typeof SCOPES)[number], { scope }: Operation): boolean {
  return scope === 'public' || SCOPES.indexOf(held) >= SCOPES.indexOf(scope)
}

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
    if (method !== 'GET' && path !== `${API}/session`) assert.notEqual(scope, 'read', name)
    if (path.startsWith(`${API}/keys`)) assert.equal(scope, 'manage', name)
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
  for (const operation of operations) {
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

test('an upload token gets 403 for every call except its own uploads, and changes nothing', async (t) => {
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
      'POST /assets/{id}/signed',
    ],
  )
  for (const operation of operations.filter(({ scope }) => scope !== 'public')) {
    // Starting an upload needs no resource of others.
    if (operation.path === `${API}/assets/signed`) continue
    await t.test(operation.name, async () => {
      const targets = await existingAndUnknownTargets(operation)
      const before = await readWholeState(service.context)
      for (const target of targets) {
        const response = await send(operation, target, token)
        assertDocumented(operation, response)
        // The upload that the target refers to is not the token's own.
        const isHidden = operation.allowsUploadTokens && !operation.path.endsWith('/signed')
        const expected = isHidden ? [404, 'not_found'] : [403, 'forbidden']
        assert.deepEqual([response.status, response.body.code], expected, response.text)
      }
      assert.deepEqual(await readWholeState(service.context), before)
    })
  }
})

test('a key with the required scope gets the documented response', async (t) => {
  const { operations, ours, send } = await aMatrix(t)
  for (const operation of operations) {
    const allowed = SCOPES.filter((scope) => isAllowed(scope, operation))
    const callers = [
      ...allowed.map((scope) => ({ caller: `a ${scope} key`, secret: ours.keys[scope].secret })),
      { caller: 'the admin key', secret: ADMIN_KEY },
    ]
    for (const { caller, secret } of callers) {
      await t.test(`${operation.name} with ${caller}`, async () => {
        const targets = await targetsOf(operation, ours)
        const responses = await Promise.all(
          targets.map((target) => send(operation, target, secret)),
        )
        for (const response of responses) assertDocumented(operation, response)
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
        if (Object.keys(target.ids).length === 0) {
          assert.equal(response.status, operation.success, response.text)
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

test('HEAD needs the same key as GET', async (t) => {
  const { operations, ours, service } = await aMatrix(t)
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    for (const target of await targetsOf(operation, ours)) {
      const { path, headers } = fillCall(operation, target)
      const head = (secret?: string) =>
        callerWith(service.baseUrl, secret)('HEAD', path, undefined, headers)
      const refused = await head()
      assert.equal(refused.status, operation.scope === 'public' ? 200 : 401, operation.name)
      const get = await callerWith(service.baseUrl, ADMIN_KEY)('GET', path, undefined, headers)
      assert.equal((await head(ADMIN_KEY)).status, get.status, operation.name)
    }
  }
})

test('an operation without a body accepts the Content-Type that some clients send with every request', async (t) => {
  const { operations, ours, service } = await aMatrix(t)
  const json = { 'Content-Type': 'application/json' }
  for (const operation of operations.filter(({ body }) => body === undefined)) {
    await t.test(operation.name, async () => {
      const [target] = await targetsOf(operation, ours)
      assert.ok(target)
      const { path, headers } = fillCall(operation, target)
      const call = callerWith(service.baseUrl, ADMIN_KEY)
      assertDocumented(
        operation,
        await call(operation.method, path, undefined, { ...headers, ...json }),
      )
    })
  }
})
