import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { ADMIN_KEY, callerWith, requestKey } from '@stowage/testing/service/accounts'
import { aServiceProcess } from '@stowage/testing/service/service-process'
import { API } from '@stowage/testing/service/upload'
import { formatApiKey } from '../../src/domain/key.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

const PAGE = 'x7KqP2vN9sTzR4mW1bYc'

test('the log line of a request has the account, the key and the address of the client, and no secret', async (t) => {
  const service = await aServiceProcess(t, {
    STOWAGE_AUTH: 'keys',
    STOWAGE_ADMIN_KEY: ADMIN_KEY,
    STOWAGE_TRUST_PROXY: '1',
  })
  const { baseUrl } = service
  const admin = callerWith(baseUrl, ADMIN_KEY)
  const key = await requestKey(admin, 'read')
  const limits = { max_bytes: 1000 }
  const { id, token } = (await admin('POST', `${API}/upload-tokens`, limits)).body
  const signIn = await callerWith(baseUrl, key.secret)('POST', `${API}/session`, {})
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  const unknown = formatApiKey(randomBytes(32))
  const { id: missing } = key

  /** Each of these calls gets a log line with these fields. */
  const calls: { secret?: string; path: string; headers?: object; line: object }[] = [
    {
      secret: key.secret,
      path: `${API}/assets/${missing}?search=private`,
      line: { path: `${API}/assets/${missing}`, status: 404, auth: 'key', key: key.id },
    },
    { secret: key.secret, path: `${API}/keys`, line: { status: 403, auth: 'key', key: key.id } },
    { secret: ADMIN_KEY, path: `${API}/keys`, line: { status: 200, auth: 'key', key: 'admin' } },
    { secret: token, path: `${API}/assets`, line: { status: 403, auth: 'token', token: id } },
    {
      path: `${API}/products`,
      headers: { Cookie: cookie },
      line: { status: 200, auth: 'session', key: key.id },
    },
    {
      secret: key.secret,
      path: `${API}/events`,
      headers: { Accept: 'text/event-stream' },
      line: { status: 200, auth: 'key', key: key.id },
    },
    { secret: unknown, path: `${API}/assets`, line: { status: 401 } },
    { path: '/healthz', headers: { 'X-Request-Id': 'check-7' }, line: { status: 200 } },
    {
      path: '/healthz',
      headers: { traceparent: `00-${'4bf92f3577b34da6'.repeat(2)}-00f067aa0ba902b7-01` },
      line: { status: 200, trace: '4bf92f3577b34da6'.repeat(2) },
    },
    // However the URL of a download page is written.
    ...[
      [`/d/${PAGE}/${missing}`, `/d/…/${missing}`],
      [`/d/file/${PAGE}`, '/d/file/…'],
      [`/%64/${PAGE}`, '/d/…'],
      [`/d%2f${PAGE}`, '/d/…'],
      [`/d/fil%65/${PAGE}`, '/d/file/…'],
      [`//d//${PAGE}`, '//d/…'],
      [`/D/${PAGE}`, '/D/…'],
      [`/shop/d/${PAGE}`, '/shop/d/…'],
      [`/unsubscribe/${PAGE}`, '/unsubscribe/…'],
    ].map(([path = '', logged]) => ({ path, line: { path: logged } })),
    { path: `/${'x'.repeat(2000)}`, line: { path: `/${'x'.repeat(499)}`, status: 404 } },
  ]
  const lines = () =>
    service
      .output()
      .stderr.split('\n')
      .filter((line) => line.includes('request completed'))
      .map((line) => JSON.parse(line))
  await until('the creation of the key is in the log', () => lines().length >= 3)
  const { account } = lines()[0]
  assert.match(account, /^[0-9a-f-]{36}$/)
  for (const [index, { secret, path, headers, line }] of calls.entries()) {
    const address = `203.0.113.${index}`
    const leave = new AbortController()
    const response = await fetch(baseUrl + path, {
      signal: leave.signal,
      redirect: 'manual',
      headers: {
        ...(secret !== undefined && { Authorization: `Bearer ${secret}` }),
        'X-Forwarded-For': `198.51.100.1, ${address}`,
        ...headers,
      },
    })
    leave.abort()
    const own = () => lines().find(({ reqId }) => reqId === response.headers.get('x-request-id'))
    await until(`the call of ${path} is in the log`, () => own() !== undefined)
    const { time, level, reqId, ms, ...logged } = own()
    assert.deepEqual(logged, {
      method: 'GET',
      status: response.status,
      path,
      address,
      ...('auth' in line && { account }),
      ...line,
      msg: 'request completed',
    })
    assert.deepEqual([typeof time, level, typeof ms], ['number', 30, 'number'])
  }
  assert.equal(await service.stop('SIGTERM'), 0)
  const { stderr } = service.output()
  // A stream may stay open for days, so its start is logged, too.
  const start = stderr.split('\n').find((line) => line.includes('event stream started'))
  assert.partialDeepStrictEqual(JSON.parse(start ?? '{}'), { account, key: key.id, status: 200 })
  for (const secret of [
    PAGE,
    ADMIN_KEY,
    key.secret,
    token,
    unknown,
    cookie.split('=')[1],
    'private',
  ]) {
    assert.ok(secret && !stderr.includes(secret))
  }
})
