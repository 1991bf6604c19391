import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '@stowage/client'
import { aService } from '@stowage/testing/service/service'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'
import { ROGUE_ID } from './support/shop.ts'

const BYTES = someBytes(2500)

/** A shop that sells book.pdf as two variants of product 10, and has score.pdf without a product. */
async function aBookShop(t: Parameters<typeof aService>[0]) {
  const service = await aService(t)
  const products = [
    { product_id: 10, variant_id: 101, name: 'Book', variant_name: 'PDF', sku: 'BOOK' },
    { product_id: 10, variant_id: 102, name: 'Book', variant_name: 'EPUB', sku: 'BOOK' },
    { product_id: 11, variant_id: 111, name: 'Drums', sku: 'DRUMS' },
  ]
  await service.call('PUT', `${API}/products`, { products })
  const book = await uploadFile(service.baseUrl, { name: 'book.pdf', bytes: BYTES })
  await service.call('POST', `${API}/assets/${book.id}/attach`, { product_ids: [10] })
  const score = await uploadFile(service.baseUrl, { name: 'score.pdf', bytes: someBytes(5) })
  const cli = await aCli(t, service.baseUrl)
  /** Runs a command that must succeed. */
  const ok = async (...words: string[]) => {
    const { code, stdout, stderr } = await cli.run(...words)
    assert.equal(code, 0, `${words.join(' ')}: ${stderr}`)
    return { stdout, stderr }
  }
  const json = async (...words: string[]) => JSON.parse((await ok(...words, '--json')).stdout)
  return { ...service, cli, ok, json, book, score }
}

/** Presses the button of a file, as a buyer does, and downloads it. */
async function download(url: string, assetId: string): Promise<Buffer> {
  const response = await fetch(`${url}/${assetId}`, { method: 'POST' })
  assert.equal(response.status, 200, `HTTP ${response.status}`)
  return Buffer.from(await response.arrayBuffer())
}

test('share prints the URL of a page from which a buyer downloads the files within the limits', async (t) => {
  const { ok, json, call, book, score } = await aBookShop(t)
  const limits = ['--downloads', '2', '--expires', '30d', '--label', 'press']
  const shared = await ok('share', 'score.pdf', '--sku', 'BOOK', ...limits)
  assert.match(shared.stdout, /^http:\/\/127[^\n]+\/d\/[\w-]{32}\n$/)
  assert.match(shared.stderr, /Each file can be downloaded 2 times, until 20\d\d-/)
  assert.match(shared.stderr, /stowage orders revoke 01[0-9a-f-]{34} ends it/)
  assert.match(shared.stderr, /only works on this machine\. Set STOWAGE_BASE_URL/)
  const url = shared.stdout.trim()
  assert.deepEqual(await download(url, book.id), BYTES)
  assert.equal((await download(url, score.id)).length, 5)
  const [order]: Order[] = (await call('GET', `${API}/orders`)).body.data
  // All variants with the SKU are one line: two lines would double the limit.
  assert.deepEqual(
    order?.lines.map(({ product_id, variant_id }) => [product_id, variant_id]),
    [[10, null]],
  )
  assert.deepEqual([order?.label, order?.max_downloads], ['press', 2])
  const days = (Date.parse(order?.expires_at ?? '') - Date.now()) / 86_400_000
  assert.ok(days > 29.9 && days <= 30, `${days}`)

  const pattern = await json('share', '*.pdf', '--expires', 'never')
  assert.deepEqual([pattern.expires_at, pattern.max_downloads, pattern.lines], [null, null, []])
  const variant = await json('share', '--product', 'variant:101')
  assert.deepEqual([variant.lines.length, variant.lines[0].variant_id], [1, 101])
  assert.match((await ok('share', '-p', 'drums')).stderr, /^drums: Drums$/m)
})

test('an order is added, shown, listed, extended, held, released and revoked', async (t) => {
  const { cli, ok, json, book } = await aBookShop(t)
  const facts = ['--number', '#1001', '--reference', 'gid/5123', '--email', 'ada@example.com']
  const sold = ['--sku', 'BOOK', '--quantity', '3', '--downloads', '2', '--asset', 'score.pdf']
  const added = await ok('orders', 'add', ...facts, ...sold, '--name', 'Ada')
  assert.match(
    added.stderr,
    /^Order 01[0-9a-f-]{34} \(#1001\) created\. Each file can be downloaded/m,
  )
  const url = added.stdout.trim()
  assert.deepEqual(await download(url, book.id), BYTES)

  const shown = (await ok('orders', 'show', '1001')).stdout
  assert.match(shown, /^#1001\n {2}id +01/)
  for (const line of [
    /^ {2}status +active$/m,
    /^ {2}buyer +Ada <ada@example\.com>$/m,
    /^ {2}reference +gid\/5123$/m,
    /^ {2}expires +never$/m,
    /^ {2}products +3 × Book, PDF {2}10$/m,
    /^ {2}files +book\.pdf {2}1 of 6 downloads$/m,
    /^ +score\.pdf {2}0 of 2 downloads, only in this order$/m,
  ]) {
    assert.match(shown, line)
  }
  assert.ok(shown.includes(url))
  const order = await json('orders', 'show', 'gid/5123')
  assert.deepEqual([order.url, order.downloads, order.files.length], [url, 1, 2])
  assert.equal(order.assets[0].filename, 'score.pdf')

  const listed = (await ok('orders', 'ls', 'ada', '--status', 'active', '-p', 'sku:BOOK')).stdout
  assert.match(listed, /#1001 +Ada <ada@example\.com> +active +1 /)
  assert.equal((await json('orders', 'list', '--asset', 'book.pdf')).length, 1)
  assert.deepEqual(await json('orders', 'ls', '--product', 'DRUMS'), [])
  assert.match((await ok('orders', 'ls', 'grace')).stderr, /No results\./)

  const extended = await ok(
    'orders',
    'extend',
    '1001',
    '--expires',
    '2099-12-31',
    '--downloads',
    '9',
  )
  assert.match(
    extended.stdout,
    /\(#1001\): Each file can be downloaded 9 times, until 2099-12-31 23:59/,
  )
  const unlimited = await json(
    'orders',
    'extend',
    order.id,
    '--expires',
    'never',
    '--downloads',
    'default',
  )
  assert.deepEqual([unlimited.expires_at, unlimited.max_downloads], [null, null])
  assert.match((await ok('orders', 'hold', '1001')).stdout, /Held: its buyer waits until/)
  assert.equal((await fetch(`${url}/${book.id}`, { method: 'POST' })).status, 409)
  assert.match(
    (await ok('orders', 'release', '1001')).stdout,
    /Each file can be downloaded until the order is revoked/,
  )

  const again = await ok('orders', 'add', '--reference', 'gid/5123', '--sku', 'DRUMS')
  assert.match(again.stderr, /was changed, because it has this reference/)
  assert.equal(again.stdout.trim(), url)
  assert.equal((await json('orders', 'show', '1001')).lines[0].product_id, 11)
  const detached = await ok('orders', 'detach', '1001', 'score.pdf')
  assert.match(detached.stdout, /no files of its own/)
  const attached = await ok('orders', 'attach', '1001', 'score.pdf', 'book.pdf')
  assert.match(attached.stdout, /\(#1001\): (book\.pdf, score\.pdf|score\.pdf, book\.pdf)/)

  const refused = await cli.run('orders', 'revoke', '1001')
  assert.deepEqual([refused.code, /Pass --yes/.test(refused.stderr)], [2, true])
  assert.match((await ok('orders', 'revoke', '1001', '--yes')).stdout, /Revoked/)
  assert.equal((await fetch(`${url}/${book.id}`, { method: 'POST' })).status, 410)
  assert.match((await ok('orders', 'extend', '1001', '--downloads', '3')).stdout, /Revoked/)
  const events = (await ok('events', '--type', 'order.downloaded')).stdout
  assert.match(events, /order\.downloaded +buyer.* book\.pdf #1001 Ada/)
})

test('an order is found by its number, with or without #, unless several orders have it', async (t) => {
  const { cli, ok, json } = await aBookShop(t)
  const add = (...words: string[]) => json('orders', 'add', '--sku', 'BOOK', ...words)
  const first = await add('--number', '#1001')
  const found = async (wanted: string) => (await json('orders', 'show', wanted)).id
  for (const wanted of [first.id, first.id.toUpperCase(), '1001', '#1001']) {
    assert.equal(await found(wanted), first.id)
  }
  const exact = await add('--number', '1001')
  assert.equal(await found('1001'), exact.id)
  assert.equal(await found('#1001'), first.id)
  // The reference of one order is the number of another.
  const other = await add('--reference', '1001', '--email', 'a@example.com')
  const ambiguous = await cli.run('orders', 'revoke', '1001', '--yes')
  assert.equal(ambiguous.code, 1)
  assert.match(ambiguous.stderr, /1001 is ambiguous\. Pass one of these IDs:/)
  assert.ok(ambiguous.stderr.includes(exact.id) && ambiguous.stderr.includes(other.id))
  assert.equal((await json('orders', 'ls', '--status', 'revoked')).length, 0)
  const unknown = await cli.run('orders', 'hold', first.id, 'no such order')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /no order with the ID, reference or number no such order/)
  assert.equal((await json('orders', 'show', first.id)).status, 'active')
  for (const odd of ['..', '.', 'x'.repeat(200), ROGUE_ID]) {
    assert.equal((await cli.run('orders', 'show', odd)).code, 1, odd)
  }
  const both = await ok('orders', 'hold', first.id, '#1001', other.id, '--json')
  const ids = both.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).id)
  assert.deepEqual(ids, [first.id, other.id])
})

test('downloads lists those of an order or an asset, and counts those of all buyers', async (t) => {
  const { ok, json, book, score } = await aBookShop(t)
  const order = await json('orders', 'add', '--sku', 'BOOK', '--number', '1', '--name', 'Ada')
  const other = await json('orders', 'add', '--asset', 'book.pdf', '--asset', 'score.pdf')
  assert.match((await ok('orders', 'downloads', '1')).stderr, /No downloads\./)
  for (const { url } of [order, other]) await download(url, book.id)
  await download(other.url, score.id)
  const log = (await ok('orders', 'downloads', '1')).stdout
  assert.match(log, /^OPENED \(UTC\) +FILE/)
  assert.match(log, /book\.pdf +1 +1 +1 +\w+$/m)
  const ofAsset = (await ok('orders', 'downloads', '--asset', 'book.pdf')).stdout
  assert.match(ofAsset, / {2}1 {2}Ada /)
  assert.equal(ofAsset.trim().split('\n').length, 3)
  assert.equal((await json('orders', 'downloads', '--asset', 'score.pdf')).length, 1)
  const days = await ok('orders', 'downloads')
  assert.match(days.stdout, /^DAY \(UTC\) +DOWNLOADS\n20\d\d-\d\d-\d\d +3\n$/)
  assert.match(days.stderr, /^3 downloads from 20.* to 20/)
  const byAsset = (await ok('orders', 'downloads', '--by', 'asset')).stdout
  assert.match(byAsset, /^ASSET +DOWNLOADS\nbook\.pdf +2\nscore\.pdf +1\n$/)
  const products = await json('orders', 'downloads', '--by', 'product')
  assert.deepEqual(products.data, [{ product_id: 10, downloads: 1 }])
  const none = await ok('orders', 'downloads', '--from', '2020-01-01', '--to', '2020-01-02')
  assert.deepEqual([none.stdout, /0 downloads from 2020-01-01/.test(none.stderr)], ['', true])
})

test('orders and share refuse wrong usage before they call the service', async (t) => {
  const cli = await aCli(t, 'http://127.0.0.1:1')
  const cases: [words: string[], message: RegExp][] = [
    [['orders'], /Pass ls, show, add, attach/],
    [['orders', 'lst'], /Unknown command orders lst\. Did you mean ls\?/],
    [['orders', 'show'], /No order given.*in quotes: '#1001'/],
    [['orders', 'hold', ''], /No order given/],
    [['orders', 'ls', '--status', 'paid'], /must be one of active, held, expired, revoked/],
    [['orders', 'ls', '--downloads', '5'], /orders ls has no option --downloads/],
    [['orders', 'ls', '-p', 'a', '-p', 'b'], /Pass --product only once/],
    [['orders', 'add'], /Nothing to deliver\. Pass --product/],
    [['orders', 'add', 'BOOK'], /Unexpected argument: BOOK\. Pass --product/],
    [['orders', 'add', '--sku', 'x', '--quantity', '0'], /--quantity 0: must be a whole number/],
    [['orders', 'extend', '1'], /Nothing to change\. Pass --downloads or --expires/],
    [['orders', 'extend', '1', '--downloads', 'many'], /--downloads many: must be/],
    [['orders', 'extend', '1', '--expires', '2020-01-01'], /is not in the future/],
    [['orders', 'extend', '1', '--expires', '0d'], /is not in the future/],
    [['orders', 'extend', '1', '--expires', '2099-02-31'], /a day such as/],
    [['orders', 'extend', '1', '--expires', '99999999999d'], /such as 30d or 12h/],
    [['orders', 'attach', '1'], /No asset given/],
    [['orders', 'downloads', '1', '--by', 'day'], /Pass either an order, or/],
    [['orders', 'downloads', '--asset', 'a', '--by', 'day'], /Pass either --asset, or/],
    [['orders', 'downloads', '1', '2'], /Expected one order/],
    [['share'], /Nothing to share/],
    [['share', 'a.pdf', '--expires', 'soon'], /--expires soon: must be/],
    [['share', 'a.pdf', '--download', '5'], /Unknown option --download\. Did you mean --downloads/],
  ]
  for (const [words, message] of cases) {
    const { code, stderr } = await cli.run(...words)
    assert.equal(code, 2, `${words.join(' ')}: ${stderr}`)
    assert.match(stderr, message)
  }
})

test('an order that the service refuses is explained with its fields', async (t) => {
  const { cli } = await aBookShop(t)
  const wrong = await cli.run('orders', 'add', '--sku', 'BOOK', '--email', 'ada')
  assert.equal(wrong.code, 1)
  assert.match(wrong.stderr, /email: must be an e-mail address/)
  const unknown = await cli.run('share', '--sku', 'NONE')
  assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
  assert.match(unknown.stderr, /There is no product sku:NONE/)
  assert.match((await cli.run('share', 'none.pdf')).stderr, /no asset named none\.pdf/)
})
