import assert from 'node:assert/strict'
import { request } from 'node:http'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'

/** Uses node:http, because fetch does not allow setting these headers. */
async function statusWith(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('without keys, every route accepts only loopback hosts and the origin of the service, and refuses proxies', async (t) => {
  const { baseUrl } = await aService(t)
  const { port } = new URL(baseUrl)
  const refused: Record<string, string>[] = [
    { Host: `rebound.example:${port}` },
    { Host: 'rebound.example' },
    { Host: `127.0.0.1.rebound.example:${port}` },
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: `http://127.0.0.1:${Number(port) + 1}` },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site' },
    { Forwarded: 'for=203.0.113.9' },
    { 'X-Forwarded-For': '203.0.113.9' },
    { 'X-Forwarded-Proto': 'https' },
    { 'X-Real-IP': '203.0.113.9' },
    { Via: '1.1 proxy' },
  ]
  const accepted: Record<string, string>[] = [
    {},
    { Host: `localhost:${port}` },
    { Host: `[::1]:${port}` },
    { Origin: baseUrl },
    { Host: `localhost:${port}`, Origin: `http://localhost:${port}` },
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
  ]
  for (const path of [`${API}/assets`, '/docs', '/openapi.json', '/healthz', '/nowhere', '/']) {
    for (const headers of refused) {
      assert.equal(
        await statusWith(baseUrl + path, headers),
        403,
        `${path} ${JSON.stringify(headers)}`,
      )
    }
    for (const headers of accepted) {
      assert.notEqual(
        await statusWith(baseUrl + path, headers),
        403,
        `${path} ${JSON.stringify(headers)}`,
      )
    }
  }
})

test('without keys, a request through a proxy is refused and the error names the setting; with keys, it only needs a key', async (t) => {
  const headers = { 'X-Forwarded-For': '203.0.113.9' }
  const open = await aService(t)
  const refused = await open.call('GET', `${API}/assets`, undefined, headers)
  assert.equal(refused.body.code, 'forbidden')
  assert.match(refused.body.message, /x-forwarded-for.*STOWAGE_AUTH=keys.*stowage keys add/s)
  const keyed = await aService(t, { STOWAGE_AUTH: 'keys' })
  const { status } = await keyed.call('GET', `${API}/assets`, undefined, headers)
  assert.equal(status, 401)
})
