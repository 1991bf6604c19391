import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS, ERRORS } from '@stowage/protocol'
import { aService } from '@stowage/testing/service/service'
import { Compile } from 'typebox/compile'

test('the OpenAPI document has every operation, with examples and every error', async (t) => {
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

test('every reference in the document can be resolved, and operation IDs are unique', async (t) => {
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

test('the examples match their schemas', () => {
  for (const { operationId, success, body, bodyExample } of ENDPOINTS) {
    if (success.schema && success.example !== undefined) {
      assert.deepEqual([...Compile(success.schema).Errors(success.example)], [], operationId)
    }
    if (body) assert.deepEqual([...Compile(body).Errors(bodyExample)], [], operationId)
  }
})

test('the reference page loads nothing from other origins', async (t) => {
  const { baseUrl } = await aService(t)
  const page = await fetch(`${baseUrl}/docs`)
  const html = await page.text()
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.doesNotMatch(html, /(src|href)="(https?:)?\/\//)
  const paths = [...html.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path]) => path)
  assert.ok(paths.includes('/') && paths.some((path) => path?.startsWith('/docs/reference.css?')))
  for (const path of paths) {
    assert.equal((await fetch(`${baseUrl}${path}`)).status, 200, path)
  }
})

test('the reference page has every operation, every error code, and no broken links', async (t) => {
  const { baseUrl } = await aService(t)
  const html = await (await fetch(`${baseUrl}/docs`)).text()
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '')
  assert.equal(new Set(ids).size, ids.length)
  for (const { operationId } of ENDPOINTS) assert.ok(ids.includes(operationId), operationId)
  for (const code of Object.keys(ERRORS)) assert.ok(ids.includes(`error-${code}`), code)
  for (const [, id = ''] of html.matchAll(/ href="#([^"]+)"/g)) assert.ok(ids.includes(id), id)
  for (const section of ['authentication', 'errors', 'paging', 'uploads', 'idempotency']) {
    assert.ok(ids.includes(section), section)
  }
})

test('the curl examples of the reference include a key only if the service requires one', async (t) => {
  const open = await aService(t)
  const html = await (await fetch(`${open.baseUrl}/docs#listAssets`)).text()
  const example = /<code>(curl &quot;[^<]*\/assets&quot;[^<]*)<\/code>/
  assert.equal(example.exec(html)?.[1], `curl &quot;${open.baseUrl}/api/v1/assets&quot;`)
  const closed = await aService(t, { STOWAGE_AUTH: 'keys' })
  const other = await (await fetch(`${closed.baseUrl}/docs`)).text()
  assert.match(example.exec(other)?.[1] ?? '', /Bearer \$STOWAGE_API_KEY/)
})

test('the reference page shows which calls accept an upload token', async (t) => {
  const { baseUrl } = await aService(t)
  const html = await (await fetch(`${baseUrl}/docs`)).text()
  const pages = html.split('<details class="operation" id="')
  for (const { operationId, allowsUploadTokens = false } of ENDPOINTS) {
    const page = pages.find((text) => text.startsWith(`${operationId}"`)) ?? ''
    assert.equal(page.includes('</code>, or an upload token.'), allowsUploadTokens, operationId)
  }
})

test('the reference page is sent compressed to clients that accept it', async (t) => {
  const { baseUrl } = await aService(t)
  const read = async (encoding: string) => {
    const response = await fetch(`${baseUrl}/docs`, { headers: { 'Accept-Encoding': encoding } })
    return [response.headers.get('content-encoding'), await response.text()]
  }
  const [compressed, html] = await read('gzip')
  assert.equal(compressed, 'gzip')
  assert.deepEqual(await read('gzip;q=0'), [null, html])
})
