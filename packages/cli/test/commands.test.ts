import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '@stowage/testing/machine/until'
import { aStorageProxy } from '@stowage/testing/proxies/storage-proxy'
import { aService } from '@stowage/testing/service/service'
import { attach, storeLink, storeManyLinks } from '@stowage/testing/service/shop'
import { API, someBytes, uploadFile } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'
import { aStockedShop, ODD_NAMES } from './support/shop.ts'

test('ls filters, sorts and counts, and writes a JSON array', async (t) => {
  const { cli } = await aStockedShop(t)
  const namesOf = async (...words: string[]) => {
    const { code, stdout, stderr } = await cli.run('ls', ...words, '--json')
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout).map(({ filename }: { filename: string }) => filename)
  }
  assert.deepEqual(await namesOf('--all'), ODD_NAMES.toReversed())
  assert.deepEqual(await namesOf('--sort', 'oldest', '--limit', '2'), ODD_NAMES.slice(0, 2))
  assert.deepEqual(await namesOf('FAMILY'), [ODD_NAMES[4]])
  assert.deepEqual(await namesOf('--search', 'TAR pac'), [ODD_NAMES[1]])
  assert.deepEqual(
    await namesOf('--sku', 'PACK', '--sort', 'smallest'),
    [1, 3, 5].map((at) => ODD_NAMES[at]),
  )
  assert.equal((await namesOf('--unattached')).length, 4)
  assert.equal((await namesOf('--attached', '--all')).length, ODD_NAMES.length - 4)
  assert.deepEqual(await namesOf('--type', 'link'), [])

  const some = await cli.run('ls', '--limit', '3')
  assert.equal(some.stdout.trimEnd().split('\n').length, 4)
  assert.match(some.stderr, /Showing 3 of 7\. Pass --all/)
  const nothing = await cli.run('ls', 'no such thing')
  assert.deepEqual([nothing.code, nothing.stdout], [0, ''])
})

test('a list of many matches reports that there are more, and a name that many have is refused', async (t) => {
  const service = await aService(t)
  await storeManyLinks(service, 11_000)
  const cli = await aCli(t, service.baseUrl)
  const some = await cli.run('ls', '--search', 'zi', '--limit', '3')
  assert.match(some.stderr, /Showing the first 3\. There are more\. Pass --all/)
  const refused = await cli.run('get', 'k.')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /At least \d+ names contain k\., which is too many to search/)
})

test('a command that only calls the API does not load fetch, which would slow down its start', async (t) => {
  const { baseUrl } = await aService(t)
  const cli = await aCli(t, baseUrl)
  const report =
    "process.on('exit', () => console.error(process.moduleLoadList.filter((name) => /undici/.test(name))))"
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(report)}`
  const { code, stderr } = await cli.start({ env: { NODE_OPTIONS } }, 'ls').end()
  assert.equal(code, 0, stderr)
  // No module of fetch was loaded.
  assert.match(stderr, /^\[\]$/m)
})

test('an asset is found by its ID, or by a name that no other asset has', async (t) => {
  const { cli, baseUrl, idOf } = await aStockedShop(t)
  const shown = await cli.run('show', 'PLAIN.zip', idOf('Cafe\u0301.txt'), '--json')
  const lines = shown.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).filename)
  assert.deepEqual(lines, ['plain.zip', 'Cafe\u0301.txt'])
  assert.match((await cli.run('show', 'plain.zip')).stdout, /id +01[0-9a-f-]{34}\n +type +file/)

  const { id } = await uploadFile(baseUrl, { name: 'plain.zip', bytes: someBytes(1) })
  const ambiguous = await cli.run('show', 'plain.zip')
  assert.deepEqual([ambiguous.code, ambiguous.stdout], [1, ''])
  assert.match(ambiguous.stderr, /2 assets are named plain\.zip\. Pass one of these IDs:/)
  assert.ok(ambiguous.stderr.includes(id) && ambiguous.stderr.includes(idOf('plain.zip')))
  const part = await cli.run('show', 'plain')
  assert.equal(part.code, 1)
  assert.match(part.stderr, /no asset named plain\. Similar names:/)
})

test('tag and untag change the tags of assets, which ls, show and tags show', async (t) => {
  const { cli } = await aStockedShop(t)
  const [one = '', two = '', three = ''] = ODD_NAMES
  const lines = (text: string) => text.trimEnd().split('\n')
  assert.doesNotMatch((await cli.run('ls')).stdout, /TAGS/)
  const tagged = await cli.run('tag', one, two, '--tag', 'Drums', 'summer sale')
  assert.equal(tagged.code, 0, tagged.stderr)
  assert.match(lines(tagged.stdout)[1] ?? '', /: Drums, summer sale$/)
  assert.match((await cli.run('ls', '--tag', 'DRUMS')).stdout, /TAGS/)
  const listed = JSON.parse((await cli.run('ls', '--tag', 'DRUMS', '--json')).stdout)
  assert.deepEqual(
    listed.map(({ filename }: { filename: string }) => filename),
    [two, one],
  )
  assert.match((await cli.run('show', one)).stdout, /^ {2}tags +Drums, summer sale$/m)

  const untagged = await cli.run('untag', one, three, '--tag', 'drums', '--json')
  const assets = lines(untagged.stdout).map((line) => JSON.parse(line))
  assert.deepEqual(
    assets.map(({ tags }) => tags),
    [['summer sale'], []],
  )
  assert.deepEqual(lines((await cli.run('tags')).stdout), [
    'TAG          ASSETS',
    'Drums             1',
    'summer sale       2',
  ])
  assert.deepEqual(JSON.parse((await cli.run('tags', 'SALE', '--json')).stdout), [
    { name: 'summer sale', assets: 2 },
  ])
  const usage = await cli.run('tag', one)
  assert.deepEqual([usage.code, /No tags given/.test(usage.stderr)], [2, true])
  const unknown = await cli.run('tag', one, 'no such asset', '--tag', 'x')
  assert.equal(unknown.code, 1)
  assert.equal((await cli.run('tags', 'x')).stdout, '')
})

test('rename, attach, detach and rm change the assets', async (t) => {
  const shop = await aStockedShop(t)
  const { cli, idOf } = shop
  const id = idOf('plain.zip')
  const asset = async () =>
    (await shop.call('GET', `${API}/assets/${id}?with_products=true`)).body.data
  const skus = async () =>
    (await asset()).products.map(({ sku }: { sku: string }) => sku).toSorted()

  assert.equal((await cli.run('rename', 'plain.zip', 'renamed.zip')).code, 0)
  assert.equal((await asset()).filename, 'renamed.zip')
  assert.equal((await cli.run('attach', 'renamed.zip', '--to', 'PACK', '111')).code, 0)
  assert.deepEqual(await skus(), ['BOOK', 'PACK'])
  const unknown = await cli.run('detach', id, '--from', 'PACK', '--from', 'NOPE')
  assert.equal(unknown.code, 1)
  assert.deepEqual(await skus(), ['BOOK', 'PACK'])
  assert.equal((await cli.run('detach', id, '--from', 'PACK')).code, 0)
  assert.deepEqual(await skus(), ['BOOK'])

  const unconfirmed = await cli.run('rm', id)
  assert.equal(unconfirmed.code, 2)
  assert.match(unconfirmed.stderr, /Pass --yes/)
  const unknownAsset = await cli.run('rm', id, '123')
  assert.equal(unknownAsset.code, 1)
  assert.match(unknownAsset.stderr, /no asset named 123/)
  const partial = await cli.run('rm', id, 'no-such.zip', '--yes')
  assert.equal(partial.code, 1)
  assert.equal((await asset()).id, id)
  const gone = await cli.run('rm', id, '--yes', '--json')
  assert.deepEqual(JSON.parse(gone.stdout), { id, filename: 'renamed.zip', deleted: true })
  assert.equal((await shop.call('GET', `${API}/assets/${id}`)).status, 404)
})

test('get saves under a safe name, does not overwrite files, and writes to a pipe', async (t) => {
  const { baseUrl } = await aService(t)
  const { run, folder } = await aCli(t, baseUrl)
  const bytes = someBytes(300_000)
  await uploadFile(baseUrl, { name: '.bashrc', bytes })
  const saved = await run('get', '.bashrc')
  assert.deepEqual([saved.code, saved.stdout], [0, '_bashrc\n'])
  assert.ok((await readFile(join(folder, '_bashrc'))).equals(bytes))

  await writeFile(join(folder, '_bashrc'), 'mine')
  const refused = await run('get', '.bashrc')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /already exists\. Pass --force/)
  assert.equal(await readFile(join(folder, '_bashrc'), 'utf8'), 'mine')
  assert.equal((await run('get', '.bashrc', '--force')).code, 0)
  assert.ok((await readFile(join(folder, '_bashrc'))).equals(bytes))

  await uploadFile(baseUrl, { name: 'other.txt', bytes: someBytes(1) })
  const both = await run('get', '.bashrc', 'other.txt', '--json')
  assert.equal(both.code, 1)
  const lines = both.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([lines[0].error.code, lines[1].path], ['failed', 'other.txt'])

  const into = await run('get', '.bashrc', '-o', 'new/folder/', '--json')
  assert.equal(JSON.parse(into.stdout).path, 'new/folder/_bashrc')
  const piped = await run('get', '.bashrc', '-o', '-')
  assert.ok(piped.stdout === bytes.toString())
})

test('get does not overwrite a file that was created during the download', async (t) => {
  const proxy = await aStorageProxy(t)
  const { baseUrl } = await aService(t, proxy.settings)
  const { run, start, folder } = await aCli(t, baseUrl)
  const bytes = someBytes(3_000_000)
  const { id } = await uploadFile(baseUrl, { name: 'film.mp4', bytes })
  proxy.cutDownloadsAfter(2_000_000, 'break')
  const running = start({}, 'get', 'film.mp4')
  await until('the download has started', async () =>
    (await readdir(folder)).includes(`.${id}.part`),
  )
  await writeFile(join(folder, 'film.mp4'), 'mine')
  const { code, stderr } = await running.end()
  assert.equal(code, 1)
  assert.match(stderr, /film\.mp4 already exists\. Pass --force/)
  assert.equal(await readFile(join(folder, 'film.mp4'), 'utf8'), 'mine')
  assert.equal((await run('get', 'film.mp4', '-o', 'other.mp4')).code, 0)
  assert.ok((await readFile(join(folder, 'other.mp4'))).equals(bytes))
})

test('a name is refused if more than 1,000 assets have it in their names', async (t) => {
  const { baseUrl, call } = await aService(t)
  const { run } = await aCli(t, baseUrl)
  const link = { url: 'https://files.example/a', size: '1MB' }
  const names = Array.from({ length: 1001 }, (_, index) => (index ? `${index}-a.zip` : 'a.zip'))
  // Concurrent calls share a commit.
  for (let at = 0; at < names.length; at += 50) {
    const some = names.slice(at, at + 50)
    await Promise.all(
      some.map((filename) => call('POST', `${API}/assets/store`, { filename, ...link })),
    )
  }
  const { code, stderr } = await run('rm', 'a.zip', '--yes')
  assert.equal(code, 1)
  assert.match(stderr, /1001 names contain a\.zip.+Pass the ID/)
  assert.equal((await call('GET', `${API}/assets`)).body.meta.total, 1001)
})

for (const signal of ['SIGKILL', 'SIGINT'] as const) {
  test(`a download that was ended by ${signal} is resumed`, async (t) => {
    const proxy = await aStorageProxy(t)
    const { baseUrl } = await aService(t, proxy.settings)
    const { run, start, folder } = await aCli(t, baseUrl)
    const bytes = someBytes(3_000_000)
    const { id } = await uploadFile(baseUrl, { name: 'film.mp4', bytes })
    proxy.cutDownloadsAfter(2_000_000)
    const running = start({}, 'get', 'film.mp4')
    const partial = join(folder, `.${id}.part`)
    const sizeOfPartial = async () => (await readFile(partial).catch(() => Buffer.alloc(0))).length
    await until('most of the file is downloaded', async () => (await sizeOfPartial()) === 2_000_000)
    const ended = await running.end(signal)
    if (signal === 'SIGINT') {
      assert.equal(ended.code, 130)
      assert.match(ended.stderr, /Run the same command again to resume/)
    }

    // The proxy lets the rest through, but not the whole file.
    assert.equal((await run('get', 'film.mp4')).code, 0)
    assert.ok((await readFile(join(folder, 'film.mp4'))).equals(bytes))
    assert.deepEqual(await readdir(folder), ['film.mp4'])
  })
}

test('a download to a pipe is resumed after the connection breaks', async (t) => {
  const proxy = await aStorageProxy(t)
  const { baseUrl } = await aService(t, proxy.settings)
  const { run } = await aCli(t, baseUrl)
  const text = someBytes(1_500_000).toString('hex')
  await uploadFile(baseUrl, { name: 'dump.txt', bytes: Buffer.from(text) })
  proxy.cutDownloadsAfter(1_100_000, 'break')
  const { code, stdout, stderr } = await run('get', 'dump.txt', '-o', '-')
  assert.equal(code, 0, stderr)
  assert.ok(stdout === text)
})

test('the files of a product are listed and arranged in the order in which buyers see them', async (t) => {
  const service = await aService(t)
  const { run } = await aCli(t, service.baseUrl)
  const products = [1, 2].map((id) => ({
    product_id: 7,
    variant_id: id,
    name: 'Course',
    sku: `C-${id}`,
  }))
  await service.call('PUT', `${API}/products`, { products })
  const names = ['lesson 10.txt', 'lesson 2.txt', 'extra.txt']
  for (const name of names) {
    const { id } = await uploadFile(service.baseUrl, { name, bytes: someBytes(10) })
    await service.call('POST', `${API}/assets/${id}/attach`, { product_ids: [7] })
  }
  const namesIn = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => line.slice(38))
  const files = async () => namesIn((await run('products', 'files', 'C-2')).stdout)
  assert.deepEqual(await files(), names)
  const arranged = await run('products', 'arrange', 'course', 'extra.txt', 'lesson 2.txt')
  assert.equal(arranged.code, 0, arranged.stderr)
  assert.deepEqual(await files(), ['extra.txt', 'lesson 2.txt', 'lesson 10.txt'])
  assert.deepEqual(namesIn(arranged.stdout), await files())
  await run('products', 'arrange', 'product:7', '--by-name')
  assert.deepEqual(await files(), ['extra.txt', 'lesson 2.txt', 'lesson 10.txt'])
  const last = await run('products', 'arrange', 'C-1', 'lesson 10.txt', '--json')
  const [first] = JSON.parse(last.stdout)
  assert.equal(first.filename, 'lesson 10.txt')
  await run('products', 'arrange', 'C-1', '--reset')
  assert.deepEqual(await files(), names)

  const { body } = await service.call('GET', `${API}/events?type=product.arranged`)
  const arrangements = body.data.map(({ data, actor }: { data: object; actor: object }) => [
    data,
    actor,
  ])
  assert.equal(arrangements.length, 3)
  const { id, assets, ...rest } = body.data[2].data
  assert.deepEqual([assets, rest], [[], { product_id: 7, name: 'Course', assets_total: 0 }])
  assert.equal(body.data[0].data.assets.length, 3)
  assert.equal(body.data[0].actor.type, 'anonymous')

  const missing = await run('products', 'arrange', 'C-1', 'none.txt')
  assert.deepEqual(
    [missing.code, missing.stderr],
    [1, 'stowage: The product has no file none.txt.\n'],
  )
  const twice = await run('products', 'arrange', 'C-1', 'extra.txt', 'extra.txt')
  assert.match(twice.stderr, /extra\.txt is given twice/)
  const unclear = await run('products', 'arrange', 'C-1')
  assert.equal(unclear.code, 2)
  assert.match(unclear.stderr, /Pass the files in their new order, --by-name or --reset/)
})

test('products are imported from CSV and JSON, with a preview and errors by line', async (t) => {
  const service = await aService(t)
  const { run, folder } = await aCli(t, service.baseUrl)
  const count = async () => (await service.call('GET', `${API}/products`)).body.meta.total
  const rows = Array.from(
    { length: 2_500 },
    (_, at) => `${at},${at + 10_000},Pack ${at},P-${at},Press`,
  )
  await writeFile(
    join(folder, 'all.csv'),
    `product_id,variant_id,name,sku,vendor\n${rows.join('\n')}\n`,
  )

  const dry = await run('products', 'import', 'all.csv', '--dry-run', '--json')
  assert.equal(dry.code, 0, dry.stderr)
  assert.deepEqual([JSON.parse(dry.stdout).new, await count()], [2_500, 0])
  const done = await run('products', 'import', 'all.csv')
  assert.equal(done.stdout, '2500 products imported\n')
  assert.equal(await count(), 2_500)

  const changed = [{ product_id: 0, variant_id: 10_000, name: 'Other', sku: '' }]
  await writeFile(join(folder, 'one.json'), JSON.stringify({ products: changed }))
  const preview = await run('products', 'import', 'one.json', '--dry-run')
  assert.match(
    preview.stdout,
    /changed {2}0\/10000 Other: name "Pack 0" → "Other", sku "P-0" → ""\n0 new, 1 changed/,
  )
  await run('products', 'import', 'one.json')
  const [stored] = JSON.parse((await run('products', 'ls', 'Other', '--json')).stdout)
  assert.deepEqual([stored.sku, stored.vendor], ['', 'Press'])

  await writeFile(join(folder, 'bad.csv'), 'product_id,variant_id,name\n9000,1,Good\ny,x,Bad\n')
  const bad = await run('products', 'import', 'bad.csv')
  assert.equal(bad.code, 1)
  assert.match(bad.stderr, /^bad\.csv:3: variant_id: .+ \(found "x"\)$/m)
  assert.equal(await count(), 2_500)
  const counted = await run('products', 'import', 'bad.csv', '--dry-run')
  assert.match(counted.stdout, /1 new, 0 changed, 0 unchanged, 1 invalid; nothing was imported/)
  const skipping = await run('products', 'import', 'bad.csv', '--skip-bad')
  assert.deepEqual([skipping.code, skipping.stdout], [0, '1 imported, 1 line skipped\n'])
  assert.equal(await count(), 2_501)

  const tags = Array.from({ length: 250 }, (_, at) => `${at}`.padEnd(255, '錦'))
  const heavy = Array.from({ length: 100 }, (_, at) => ({
    ...{ product_id: 5000 + at, variant_id: 1, name: 'Heavy', tags },
  }))
  await writeFile(join(folder, 'heavy.json'), JSON.stringify(heavy))
  const imported = await run('products', 'import', 'heavy.json')
  assert.equal(imported.code, 0, imported.stderr)
  assert.equal(await count(), 2_601)

  const listed = await run('products', 'ls', '--sku', 'P-7', '--json')
  assert.equal(JSON.parse(listed.stdout)[0].name, 'Pack 7')
  assert.equal(JSON.parse((await run('products', 'ls', '--all', '--json')).stdout).length, 2_601)

  const asset = await storeLink(service)
  await attach(service, asset.id, { variant_ids: [10_007] })
  const found = async (...options: string[]) =>
    JSON.parse((await run('products', 'ls', '--json', ...options)).stdout).map(
      ({ sku }: { sku: string }) => sku,
    )
  assert.deepEqual(await found('--with-assets'), ['P-7'])
  const first = ['pack', '--without-assets', '--sort', 'sku', '-n', '2']
  assert.deepEqual(await found(...first), ['P-1', 'P-10'])
  assert.equal((await run('products', 'ls', '--with-assets', '--without-assets')).code, 2)
})

test('account shows the usage of the plan as a bar, and with --json in bytes', async (t) => {
  const { baseUrl } = await aService(t, { STOWAGE_PLAN_STORAGE: '1MB' })
  const { run } = await aCli(t, baseUrl)
  await uploadFile(baseUrl, { bytes: someBytes(500_000) })
  const { stdout } = await run('account')
  assert.match(stdout, /█{28}░{28}/)
  assert.match(stdout, /free +500 kB\n +plan +1 MB \(default\)/)
  assert.equal(JSON.parse((await run('account', '--json')).stdout).stored, 500_000)
})
