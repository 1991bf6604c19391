import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, callerWith } from '@stowage/testing/service/accounts'
import { aMatrix } from '../../support/access-matrix.ts'
import { targetsOf } from '../../support/matrix-targets.ts'
import { assertDocumented, fillCall } from '../../support/openapi-operations.ts'

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
  // curl -d '', PHP and Ruby declare a form on every POST.
  const types = ['application/json', 'application/x-www-form-urlencoded']
  for (const operation of operations.filter(({ body }) => body === undefined)) {
    await t.test(operation.name, async () => {
      for (const type of types) {
        const [target] = await targetsOf(operation, ours)
        assert.ok(target)
        const { path, headers } = fillCall(operation, target)
        const call = callerWith(service.baseUrl, ADMIN_KEY)
        const declared = { ...headers, 'Content-Type': type }
        assertDocumented(operation, await call(operation.method, path, undefined, declared))
      }
    })
  }
})
