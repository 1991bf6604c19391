import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callerWith, finishUpload, sendUpload } from '@stowage/testing/service/accounts'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

test('tokens add creates a token with which a page can upload within its limits', async (t) => {
  const { baseUrl, call } = await aService(t)
  const products = [{ product_id: 7, variant_id: 71, name: 'Presets', sku: 'PRE' }]
  await call('PUT', `${API}/products`, { products })
  const cli = await aCli(t, baseUrl)
  const flags = ['--max-bytes', '1KB', '--max-files', '2', '--mime', 'application/*', '-a', 'PRE']
  const { code, stdout, stderr } = await cli.run('tokens', 'add', ...flags, '--expires-in', '30m')
  assert.equal(code, 0, stderr)
  assert.match(
    stderr,
    /The token can upload 2 files, 1 kB in total. It can start uploads until 20\d\d-\d\d-\d\d \d\d:\d\d UTC/,
  )
  const page = callerWith(baseUrl, stdout.trim())
  const { id } = await finishUpload(
    page,
    await sendUpload(page, { name: 'a', bytes: someBytes(900) }),
  )
  const { body } = await call('GET', `${API}/assets/${id}?with_products=true`)
  assert.equal(body.data.products[0].sku, 'PRE')
  const refused = await page('POST', `${API}/assets/signed`, {
    name: 'b',
    size: 200,
    mime: 'application/zip',
  })
  assert.equal(refused.body.code, 'upload_token_exceeded')

  await uploadFile(baseUrl, { name: 'book.pdf', bytes: someBytes(5) })
  const json = await cli.run(
    'tokens',
    'add',
    '--max-bytes',
    '1KB',
    '--replace',
    'book.pdf',
    '--json',
  )
  const { token, expires_at } = JSON.parse(json.stdout)
  assert.match(token, /^stowup_/)
  assert.ok(Date.parse(expires_at) > Date.now())
})

test('tokens add refuses wrong usage before it calls the service', async (t) => {
  const cli = await aCli(t, 'http://127.0.0.1:1')
  for (const [flags, message] of [
    [[], /Pass add, ls or revoke/],
    [['revoke'], /token ID/],
    [['drop', 'a'], /Unknown command tokens drop/],
    [['add'], /Pass --max-bytes/],
    [['add', '--max-bytes', 'many'], /must be a size such as 50MB/],
    [['add', '--max-bytes', '1KB', '--max-files', '0'], /--max-files 0: must be a whole number/],
  ] as const) {
    const { code, stderr } = await cli.run('tokens', ...flags)
    assert.equal(code, 2, stderr)
    assert.match(stderr, message)
  }
})

test('tokens ls shows the limits of each token until tokens revoke ends it', async (t) => {
  const { baseUrl } = await aService(t)
  const cli = await aCli(t, baseUrl)
  const origin = 'https://shop.example'
  const flags = ['--max-bytes', '1KB', '--max-files', '2', '--mime', 'image/*', '--origin', origin]
  const added = await cli.run('tokens', 'add', ...flags, '--json')
  const { id, token, ...limits } = JSON.parse(added.stdout)
  assert.deepEqual([limits.max_bytes, limits.max_files, limits.mime], [1000, 2, ['image/*']])
  const listed = await cli.run('tokens', 'ls')
  assert.match(listed.stdout, new RegExp(`${id} +2 +1 kB +image/\\* `))
  const json = JSON.parse((await cli.run('tokens', 'ls', '--json')).stdout)
  assert.deepEqual(json, [{ id, ...limits }])

  const revoked = await cli.run('tokens', 'revoke', id)
  assert.deepEqual([revoked.code, revoked.stdout], [0, `${id} revoked\n`])
  const page = callerWith(baseUrl, token)
  const refused = await page('POST', `${API}/assets/signed`, { name: 'a', size: 1 })
  assert.equal(refused.status, 401)
  assert.deepEqual(JSON.parse((await cli.run('tokens', 'ls', '--json')).stdout), [])
  assert.match((await cli.run('tokens', 'ls')).stderr, /No results\./)
})
