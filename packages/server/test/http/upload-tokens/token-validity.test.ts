import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { MAX_UPLOAD_TOKENS } from '@stowage/protocol'
import { until } from '@stowage/testing/machine/until'
import {
  ADMIN_KEY,
  aKeyedService,
  anAccount,
  callerWith,
  finishUpload,
  requestKey,
  sendUpload,
  type TextResponse,
} from '@stowage/testing/service/accounts'
import { JOBS, takeOverJobs } from '@stowage/testing/service/jobs'
import { aService } from '@stowage/testing/service/service'
import { API, putPart, someBytes } from '@stowage/testing/service/upload'
import type { Engines } from '../../../src/compose.ts'
import { formatUploadToken } from '../../../src/domain/key.ts'
import { hashKey } from '../../../src/operations/authentication.ts'
import { forAccount } from '../../../src/operations/context.ts'
import { createUploadToken } from '../../../src/operations/tokens.ts'
import { aPage, requestToken, TOKENS } from '../../support/upload-tokens.ts'

const SIGNED = `${API}/assets/signed`

function codeOf({ status, body }: TextResponse): [number, string] {
  return [status, body.code]
}

test('a token with an origin is refused on pages of other origins', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const { call: page } = await aPage(service, call, {
    origin: 'https://Shop.example/',
    max_files: 2,
  })
  const request = (headers?: Record<string, string>) =>
    page('POST', SIGNED, { name: 'a', size: 5 }, headers)
  for (const origin of [undefined, 'https://evil.example', 'http://shop.example', 'null']) {
    const refused = await request(origin === undefined ? {} : { Origin: origin })
    assert.deepEqual(codeOf(refused), [403, 'forbidden'])
    assert.match(refused.body.message, /only valid on pages of https:\/\/shop\.example/)
  }
  const own = { Origin: 'https://shop.example' }
  const { status, body } = await request(own)
  assert.equal(status, 201)
  // Browsers send no Origin with a GET to the page's own origin.
  assert.equal((await page('GET', `${API}/assets/${body.id}/upload`)).status, 200)
  const elsewhere = { Origin: 'https://evil.example' }
  const refused = await page('GET', `${API}/assets/${body.id}/upload`, undefined, elsewhere)
  assert.deepEqual(codeOf(refused), [403, 'forbidden'])
})

test('an expired token starts no upload, but completes those that it has started', async (t) => {
  let areExpired = false
  const wrap = ({ database }: Engines): Pick<Engines, 'database'> => ({
    database: {
      ...database,
      async findUploadToken(hash) {
        const token = await database.findUploadToken(hash)
        return token && { ...token, isExpired: token.isExpired || areExpired }
      },
    },
  })
  const service = await aKeyedService(t, {}, { wrap })
  const { call } = await anAccount(service, { name: 'default' })
  const page = await aPage(service, call, { max_files: 9 })
  const bytes = someBytes(5)
  const sent = await sendUpload(page.call, { name: 'a', bytes })
  const cancelled = await sendUpload(page.call, { name: 'b', bytes })
  areExpired = true
  const resumed = await page.call('GET', `${API}/assets/${sent.session.id}/upload`)
  assert.equal(resumed.status, 200)
  assert.equal((await finishUpload(page.call, sent)).status, 'ready')
  const { id, upload_id } = cancelled.session
  assert.equal((await page.call('POST', `${API}/assets/${id}/cancel`, { upload_id })).status, 200)
  for (const refused of [
    await page.call('POST', SIGNED, { name: 'c', size: 5 }),
    await page.call('GET', `${API}/assets/${service.context.newId()}/upload`),
    await page.call('GET', `${API}/assets`),
    await page.call('POST', `${API}/assets/${id}/signed`, { size: 5 }),
  ]) {
    assert.deepEqual(codeOf(refused), [401, 'unauthenticated'])
    assert.match(refused.body.message, /expired at 20.*Request a new token/)
  }
})

test('an expired token cannot keep an upload forever by resuming it and sending parts again', async (t) => {
  const service = await aService(t)
  const own = await takeOverJobs(service)
  const { id: accountId } = (await own.database.listAccounts())[0] ?? assert.fail()
  const account = forAccount(own, accountId)

  /** Sends an upload and makes it overdue. Returns undefined if the token expires first. */
  async function start(lifetimeMs: number) {
    const limits = { maxBytes: 5, maxFiles: 1, mediaTypes: null, attach: null, replaces: null }
    const request = { ...limits, origin: null, lifetimeMs }
    const { secret: token } = await createUploadToken(account, { actor: null }, request)
    const call = callerWith(service.baseUrl, token)
    const { status, body } = await call('POST', SIGNED, { name: 'a', size: 5 })
    if (status === 401) return undefined
    await putPart(body.urls[0].url, someBytes(5))
    const expiresAt = (await account.data.renewUpload(body.id, -1)) ?? assert.fail()
    return expiresAt.getTime() > Date.now() ? undefined : { token, call, id: body.id }
  }

  let page: Awaited<ReturnType<typeof start>>
  // A slow machine needs a token that is valid for longer.
  for (let lifetimeMs = 100; page === undefined; lifetimeMs *= 2) page = await start(lifetimeMs)
  const { token, call, id } = page
  await until('the token has expired', async () => {
    return (await own.database.findUploadToken(hashKey(token)))?.isExpired ?? false
  })
  assert.equal((await call('GET', `${API}/assets/${id}/upload`)).status, 200)
  await JOBS.expireUploads(own)
  assert.equal((await account.data.findUpload(id))?.status, 'expired')
})

test('a token is refused after the key that created it is revoked or removed from the settings', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const key = await requestKey(call, 'write')
  const page = await aPage(service, callerWith(service.baseUrl, key.secret), { max_files: 2 })
  const sent = await sendUpload(page.call, { name: 'a', bytes: someBytes(5) })
  await call('DELETE', `${API}/keys/${key.id}`)
  for (const refused of [
    await page.call('POST', SIGNED, { name: 'b', size: 5 }),
    await page.call('POST', `${API}/assets/${sent.session.id}/uploaded`),
  ]) {
    assert.deepEqual(codeOf(refused), [401, 'unauthenticated'])
  }
  const admin = await aPage(service, callerWith(service.baseUrl, ADMIN_KEY))
  assert.equal((await admin.call('POST', SIGNED, { name: 'a', size: 5 })).status, 201)
  const { settings } = service.context
  settings.auth = { kind: 'keys', admin: undefined }
  assert.equal((await admin.call('POST', SIGNED, { name: 'a', size: 5 })).status, 401)
})

test('a mistyped or unknown token is refused, and only keys that may write create tokens', async (t) => {
  const service = await aKeyedService(t, { STOWAGE_RATE_LIMIT: '20' })
  const { call, keys } = await anAccount(service, { name: 'default' })
  const { token } = await requestToken(call)
  const unknown = formatUploadToken(randomBytes(32))
  for (const [secret, message] of [
    [token.slice(0, -1), /token is malformed/],
    [unknown, /unknown or has expired/],
  ] as const) {
    const refused = await callerWith(service.baseUrl, secret)('POST', SIGNED, {
      name: 'a',
      size: 1,
    })
    assert.deepEqual(codeOf(refused), [401, 'unauthenticated'])
    assert.match(refused.body.message, message)
  }
  const reader = callerWith(service.baseUrl, keys.read.secret)
  assert.equal((await reader('POST', TOKENS, { max_bytes: 1 })).status, 403)
  const page = callerWith(service.baseUrl, token)
  const first = await page('POST', SIGNED, { name: 'a', size: 1 })
  assert.equal(first.headers.get('x-ratelimit-remaining'), '19')
})

test('an account with too many tokens that have not expired gets no further one', async (t) => {
  // The same limit, as if the account had all tokens but one.
  const wrap = ({ database }: Engines): Pick<Engines, 'database'> => ({
    database: {
      ...database,
      of(...account) {
        const data = database.of(...account)
        return {
          ...data,
          addUploadToken(token, { lifetimeMs, maxTokens }) {
            const limits = { lifetimeMs, maxTokens: maxTokens - MAX_UPLOAD_TOKENS + 1 }
            return data.addUploadToken(token, limits)
          },
        }
      },
    },
  })
  const service = await aKeyedService(t, {}, { wrap })
  const { call } = await anAccount(service, { name: 'shop' })
  const create = () => call('POST', `${API}/upload-tokens`, { max_bytes: 1 })
  assert.equal((await create()).status, 201)
  const refused = await create()
  assert.deepEqual([refused.status, refused.body.code], [409, 'too_many_upload_tokens'])
})

test('a token cannot be created for unknown products, or to replace a link or an unknown file', async (t) => {
  const service = await aKeyedService(t)
  const { call } = await anAccount(service, { name: 'default' })
  const { body: link } = await call('POST', `${API}/assets/store`, {
    filename: 'a',
    url: 'https://a.example',
  })
  const create = (limits: object) => call('POST', TOKENS, { max_bytes: 1, ...limits })
  const products = await create({ attach: { product_ids: [7], skus: ['X'] } })
  assert.deepEqual(products.body.errors, {
    'attach.product_ids': ['contains unknown values: 7'],
    'attach.skus': ['contains unknown values: X'],
  })
  assert.deepEqual(codeOf(await create({ replace: link.data.id })), [409, 'not_a_file'])
  assert.deepEqual(codeOf(await create({ replace: service.context.newId() })), [404, 'not_found'])
})

test('an open service applies the limits of a token, although it ignores keys', async (t) => {
  const service = await aService(t)
  const page = await aPage(service, callerWith(service.baseUrl), { max_bytes: 10 })
  assert.equal((await page.call('POST', SIGNED, { name: 'a', size: 11 })).status, 403)
  assert.equal((await page.call('GET', `${API}/assets`)).status, 403)
  const asset = await finishUpload(
    page.call,
    await sendUpload(page.call, { name: 'a', bytes: someBytes(5) }),
  )
  assert.equal(asset.status, 'ready')
})
