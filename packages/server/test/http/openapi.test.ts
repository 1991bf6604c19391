import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, ERRORS } from '@stowage/protocol'
import { Compile } from 'typebox/compile'
import { aService } from '../support/service.ts'

test('the OpenAPI document has every call, with examples and every error', async (t) => {
  const { call, baseUrl } = await aService(t)
  const { body } = await call('GET', '/openapi.json')
  assert.equal(body.openapi, '3.1.0')
  assert.equal(body.servers[0].url, baseUrl)
  for (const endpoint of ENDPOINTS) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}')
    for (const method of endpoint.methods) {
      const operation = body.paths[path]?.[method.toLowerCase()]
      assert.ok(operation, `${method} ${path}`)
      for (const code of endpoint.errors) {
        const response = operation.responses[ERRORS[code].status]
        assert.ok(response.content['application/json'].examples[code], `${path} ${code}`)
      }
      if (endpoint.body) assert.ok(operation.requestBody.content['application/json'].example)
    }
  }
})

test('every reference in the document leads somewhere, and operation ids are unique', async (t) => {
  const { call } = await aService(t)
  const { body } = await call('GET', '/openapi.json')
  const references = JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)
  const names = new Set([...references].map(([, name]) => name ?? ''))
  assert.ok(names.size > 5)
  for (const name of names) assert.ok(body.components.schemas[name].type, name)
  const ids = Object.values<object>(body.paths).flatMap((item) =>
    Object.values(item).map(({ operationId }) => operationId),
  )
  assert.equal(new Set(ids).size, ids.length)
})

test('the examples are what the schemas say', () => {
  for (const { operationId, success, body, bodyExample } of ENDPOINTS) {
    if (success.schema && success.example !== undefined) {
      assert.deepEqual([...Compile(success.schema).Errors(success.example)], [], operationId)
    }
    if (body) assert.deepEqual([...Compile(body).Errors(bodyExample)], [], operationId)
  }
})

test('the reference page loads nothing from outside', async (t) => {
  const { baseUrl } = await aService(t)
  const page = await fetch(`${baseUrl}/docs`)
  const html = await page.text()
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//)
  for (const [, path] of html.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
    assert.equal((await fetch(baseUrl + path)).status, 200, path)
  }
})
