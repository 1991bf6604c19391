import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADMIN_KEY, aKeyedService } from '@stowage/testing/service/accounts'
import { aService, type JsonResponse } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { sendExactly } from '../../support/exact-request.ts'

const PAGE = { Origin: 'https://shop.example' }
const KEY = { Authorization: `Bearer ${ADMIN_KEY}` }

function listed(headers: Headers, name: string): string[] {
  return (headers.get(name) ?? '').toLowerCase().split(/\s*,\s*/)
}

test('with keys, a preflight from any origin is allowed for every method and header of the API', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  for (const path of [`${API}/assets`, `${API}/assets/signed`, `${API}/keys/some-id`, '/nowhere']) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, headers, body } = await sendExactly(baseUrl, {
        method: 'OPTIONS',
        path,
        headers: {
          ...PAGE,
          'Access-Control-Request-Method': method,
          'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
        },
      })
      assert.deepEqual([status, body], [204, ''], path)
      assert.equal(headers.get('access-control-allow-origin'), '*')
      assert.ok(listed(headers, 'access-control-allow-methods').includes(method.toLowerCase()))
      for (const name of ['authorization', 'content-type', 'idempotency-key']) {
        assert.ok(listed(headers, 'access-control-allow-headers').includes(name), name)
      }
    }
  }
})

/** A call for every kind of response that a page's fetch can get. */
const CALLS: [number, string, string, Record<string, string>, string?][] = [
  [200, 'GET', `${API}/assets`, KEY],
  [200, 'GET', '/', {}],
  [400, 'POST', `${API}/keys`, { ...KEY, 'Content-Type': 'application/json' }, '{'],
  [400, 'GET', `${API}/assets?filename=%ff`, KEY],
  [400, 'GET', `${API}/assets/%ff`, KEY],
  [401, 'GET', `${API}/assets`, {}],
  [404, 'GET', `${API}/assets/none`, KEY],
  [404, 'GET', `${API}/assets/${'x'.repeat(200)}`, KEY],
  [404, 'GET', '/nowhere', KEY],
  [405, 'PATCH', `${API}/assets`, KEY],
  [415, 'POST', `${API}/keys`, { ...KEY, 'Content-Type': 'text/plain' }, 'x'],
  [422, 'GET', `${API}/assets?limit=0`, KEY],
]

test('with keys, a page of any origin can read every response, including errors', async (t) => {
  const { baseUrl } = await aKeyedService(t)
  for (const [status, method, path, headers, body] of CALLS) {
    await t.test(`${status} ${method} ${path.slice(0, 40)}`, async () => {
      const exact = { method, path, headers: { ...PAGE, ...headers }, body }
      const response = await sendExactly(baseUrl, exact)
      assert.equal(response.status, status)
      assert.equal(response.headers.get('access-control-allow-origin'), '*')
      assert.equal(response.headers.get('access-control-allow-credentials'), null)
      const exposed = listed(response.headers, 'access-control-expose-headers')
      for (const name of ['x-request-id', 'retry-after', 'x-ratelimit-remaining']) {
        assert.ok(exposed.includes(name), name)
      }
      assert.ok(response.headers.get('x-request-id'))
    })
  }
})

function assertClosed({ headers }: JsonResponse): void {
  const names = [...headers.keys()].filter((name) => name.startsWith('access-control-'))
  assert.deepEqual(names, [])
}

test('without keys, no response is readable for other origins, and preflights are refused', async (t) => {
  const { baseUrl } = await aService(t)
  for (const [, method, path, headers, body] of CALLS) {
    assertClosed(await sendExactly(baseUrl, { method, path, headers, body }))
    const own = { ...headers, Origin: baseUrl }
    assertClosed(await sendExactly(baseUrl, { method, path, headers: own, body }))
  }
  for (const [, , path] of CALLS) {
    const asking = { ...PAGE, 'Access-Control-Request-Method': 'PUT' }
    const response = await sendExactly(baseUrl, { method: 'OPTIONS', path, headers: asking })
    assertClosed(response)
    assert.ok(response.status >= 400, path)
  }
})
