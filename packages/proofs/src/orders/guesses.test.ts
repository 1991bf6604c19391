import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import { readMemory } from '@stowage/testing/machine/memory-watch'
import { ADMIN_KEY } from '@stowage/testing/service/accounts'
import { callJson } from '@stowage/testing/service/service'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'

/* Runs on sqlite+disk and postgres+disk. */

const GUESSES = Number(process.env.GUESSES ?? 10_000)
const CONCURRENT = 32
/** The first guesses fill caches, and compile code. */
const WARM_UP = 3000
const MAX_GROWTH = 40_000_000
const TIMED = 500

/** A larger heap would grow for minutes before V8 collects what it does not need. */
const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=100 --max-semi-space-size=4' }
const KEYED = { STOWAGE_AUTH: 'keys', STOWAGE_ADMIN_KEY: ADMIN_KEY }
const AUTHORIZED = { Authorization: `Bearer ${ADMIN_KEY}` }
const ATTACKER = '203.0.113.7'

/** What a guess requests. */
const PATHS: ((token: string, asset: string) => string)[] = [
  (token, asset) => `/d/${token}/${asset}`,
  (token) => `/d/${token}`,
  (token) => `/d/file/${token}`,
  (token, asset) => `/d/${token}/start/${asset}`,
  (token, asset) => `/d/${token}/view/${asset}`,
  (token) => `/d/${token}/logo`,
  (token) => `/api/v2/customer-account-orders?id=${token}`,
]

test('10,000 guesses of tokens are limited for each address, and find nothing; memory does not grow', async (t) => {
  const service = await aServiceProcess(t, {
    STOWAGE_TRUST_PROXY: '1',
    STOWAGE_LOG: 'warn',
    ...SMALL_HEAP,
    ...KEYED,
  })
  const call = (method: string, path: string, body?: object) =>
    callJson(service.baseUrl + path, { method, body, headers: AUTHORIZED })
  const file = { filename: 'file.zip', url: 'https://example.com/file.zip' }
  const { id: asset } = (await call('POST', `${API}/assets/store`, file)).body.data
  const { body } = await call('POST', `${API}/orders`, { assets: [asset], max_downloads: 5 })
  const token = new URL(body.data.url).pathname.replace('/d/', '')
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENT })
  cleanUp(t, () => agent.destroy())
  const get = (path: string, address: string, method = 'GET') =>
    request({ url: service.baseUrl + path, method, agent, address })

  const statuses: Record<number, number> = {}
  const guess = async (index: number) => {
    // Half of the guesses have all of the token but its last character.
    const wrong = index % 2 === 0 ? randomBytes(24).toString('base64url') : token.slice(0, -1)
    const path = PATHS[index % PATHS.length]?.(wrong, asset) ?? ''
    const { status, text: page } = await get(
      path,
      ATTACKER,
      index % PATHS.length === 0 ? 'POST' : 'GET',
    )
    statuses[status] = (statuses[status] ?? 0) + 1
    assert.doesNotMatch(page, /file\.zip|example\.com/)
  }
  const guessUntil = async (from: number, to: number) => {
    let next = from
    const work = async () => {
      while (next < to) {
        next += 1
        await guess(next)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENT }, work))
  }
  await guessUntil(0, WARM_UP)
  const before = await readMemory(service.pid, 'VmRSS')
  await guessUntil(WARM_UP, GUESSES)
  const growth = (await readMemory(service.pid, 'VmRSS')) - before
  t.diagnostic(`${JSON.stringify(statuses)}; memory grew by ${Math.round(growth / 1e6)} MB`)
  assert.deepEqual(Object.keys(statuses), ['404', '429'])
  assert.ok((statuses[429] ?? 0) > 0.9 * GUESSES, JSON.stringify(statuses))
  assert.ok(growth < MAX_GROWTH)

  // The buyer is not affected, even at the same address.
  assert.equal((await get(`/d/${token}`, ATTACKER)).status, 200)
  // A token that is almost right takes as long as any other.
  const times: number[][] = [[], []]
  for (let index = 0; index < 2 * TIMED; index += 1) {
    const isAlmost = index % 2 === 1
    const wrong = isAlmost ? `${token.slice(0, -1)}_` : randomBytes(24).toString('base64url')
    const start = performance.now()
    await get(`/d/${wrong}`, ATTACKER)
    times[index % 2]?.push(performance.now() - start)
  }
  const [other = 0, almost = 0] = times.map(medianOf)
  t.diagnostic(`unknown token: ${other.toFixed(3)} ms; almost right: ${almost.toFixed(3)} ms`)
  assert.ok(Math.max(other, almost) < 1.5 * Math.min(other, almost))
  // Many addresses: each of them is remembered for a time, and forgotten.
  for (let index = 0; index < GUESSES; index += CONCURRENT) {
    const several = Array.from({ length: CONCURRENT }, (_, offset) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32BE(0x0b000000 + index + offset)
      return get(`/d/${randomBytes(24).toString('base64url')}`, [...bytes].join('.'))
    })
    for (const { status } of await Promise.all(several)) assert.equal(status, 404)
  }
  const inAll = (await readMemory(service.pid, 'VmRSS')) - before
  t.diagnostic(`from ${GUESSES} addresses: memory grew by ${Math.round(inAll / 1e6)} MB in all`)
  assert.ok(inAll < 2 * MAX_GROWTH)
  assert.equal(service.failures(), '')
})

interface Sent {
  url: string
  method: string
  agent: http.Agent
  /** The address that the proxy in front of the service would name. */
  address: string
}

async function request({ url, method, agent, address }: Sent) {
  const headers = { 'X-Forwarded-For': address }
  const sent = http.request(url, { method, agent, headers }).end()
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  return { status: response.statusCode ?? 0, text: await text(response) }
}

function medianOf(values: number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
