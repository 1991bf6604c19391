import assert from 'node:assert/strict'
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { API, download, listAll, someBytes } from '@stowage/testing/service/upload'
import { aCli } from './support/cli.ts'

const CHUNKS = { STOWAGE_CHUNK_SIZE: '100000' }

test('a folder with unusual names is uploaded completely', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const { run, folder } = await aCli(t, baseUrl)
  const names = [
    'plain.zip',
    'サンプル パック.wav',
    'שלום עולם.txt',
    '-rf',
    '--help',
    'a*b?[c]{d}.txt',
    'it\'s "quoted" $HOME `id`.pdf',
    'two\nlines.txt',
    'escape\u001b[31m.txt',
    '👩‍👩‍👧.png',
    'Cafe\u0301.txt',
  ]
  await mkdir(join(folder, 'pack/deep/deeper'), { recursive: true })
  const sizeOf = (index: number) => (index === 0 ? 350_001 : index * 10)
  for (const [index, name] of names.entries()) {
    const path = join(folder, 'pack', index % 2 ? 'deep/deeper' : '', name)
    await writeFile(path, someBytes(sizeOf(index), index + 1))
  }
  await writeFile(join(folder, 'pack/.DS_Store'), 'clutter')

  const { code, stdout, stderr } = await run('upload', 'pack')
  assert.equal(code, 0, stderr)
  assert.match(stderr, /Hidden files skipped: 1/)
  assert.equal(stdout.trimEnd().split('\n').length, names.length)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may occur
  assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f]/)
  const assets = await listAll(baseUrl)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the service refuses them
  const expected = names.map((name) => name.replace(/[\u0000-\u001f]/g, '_'))
  assert.deepEqual(assets.map(({ filename }) => filename).toSorted(), expected.toSorted())
  for (const { id, filename } of assets) {
    const index = expected.indexOf(filename)
    assert.ok((await download(baseUrl, id)).equals(someBytes(sizeOf(index), index + 1)), filename)
  }
})

test('with --json, each file is a JSON object on its own line, even if its upload fails', async (t) => {
  const { baseUrl } = await aService(t, { ...CHUNKS, STOWAGE_PLAN_STORAGE: '1MB' })
  const { run, folder } = await aCli(t, baseUrl)
  await writeFile(join(folder, 'a.txt'), 'a')
  await writeFile(join(folder, ' '), 'a name that no asset may have')
  const { code, stdout, stderr } = await run('upload', 'a.txt', ' ', '--json')
  assert.equal(code, 1)
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const arrived = lines.find(({ file }) => file === 'a.txt')
  assert.deepEqual(Object.keys(arrived), ['file', 'asset'])
  assert.deepEqual([arrived.asset.filename, arrived.asset.status], ['a.txt', 'ready'])
  const failed = lines.find(({ file }) => file === ' ')
  assert.equal(failed.error.code, 'invalid')
  assert.match(stderr, /name: must not be empty/)
  assert.match(stderr, /1 of 2 files failed/)

  const again = await run('upload', 'a.txt', ' ', '--json')
  assert.match(
    again.stderr,
    /^1 file was already uploaded and skipped\. Pass --again to upload again\.\n {2}a\.txt$/m,
  )
  assert.equal((await listAll(baseUrl)).length, 1)
})

test('files that are already uploaded are skipped, unless they changed, their asset was deleted, or --again is given', async (t) => {
  const { baseUrl, call } = await aService(t, CHUNKS)
  const { run, folder } = await aCli(t, baseUrl)
  await mkdir(join(folder, 'course/part 1'), { recursive: true })
  const paths = ['course/intro.txt', 'course/notes.txt', 'course/part 1/notes.txt']
  for (const path of paths) await writeFile(join(folder, path), 'text')
  const upload = async (...options: string[]) => {
    const { code, stdout, stderr } = await run('upload', 'course', '--json', ...options)
    assert.equal(code, 0, stderr)
    const outcomes: { file: string; asset: { id: string }; skipped?: true }[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const sent = outcomes.filter(({ skipped }) => !skipped).map(({ file }) => file)
    return { stderr, sent: sent.sort(), idOf: new Map(outcomes.map((o) => [o.file, o.asset.id])) }
  }
  const first = await upload()
  assert.deepEqual(first.sent, paths)
  const second = await upload()
  assert.deepEqual([second.sent, second.idOf], [[], new Map([...first.idOf].sort())])
  for (const path of paths) assert.ok(second.stderr.includes(`\n  ${path}`), second.stderr)
  assert.match(
    second.stderr,
    /^3 files were already uploaded and skipped\. Pass --again to upload again\.$/m,
  )
  assert.equal((await listAll(baseUrl)).length, 3)

  await writeFile(join(folder, 'course/intro.txt'), 'another text')
  assert.deepEqual((await upload()).sent, ['course/intro.txt'])
  await call('DELETE', `${API}/assets/${first.idOf.get('course/part 1/notes.txt')}`)
  assert.deepEqual((await upload()).sent, ['course/part 1/notes.txt'])
  assert.equal((await listAll(baseUrl)).length, 4)
  assert.deepEqual((await upload('--again')).sent, paths)
  assert.equal((await listAll(baseUrl)).length, 7)
  assert.deepEqual((await upload()).sent, [])
})

test('standard input is uploaded under the given name, and its copy is removed', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const { run, runWith } = await aCli(t, baseUrl)
  const mine = async () =>
    (await readdir(tmpdir())).filter((name) => name.startsWith('stowage-stdin-'))
  const before = await mine()
  const input = someBytes(250_000)
  const { code, stdout } = await runWith({ input }, 'upload', '-', '--name', 'dump.gz', '--json')
  assert.equal(code, 0)
  const { file, asset } = JSON.parse(stdout)
  assert.deepEqual([file, asset.filename, asset.mime], ['-', 'dump.gz', 'application/gzip'])
  assert.ok((await download(baseUrl, asset.id)).equals(input))
  assert.deepEqual(
    (await mine()).filter((name) => !before.includes(name)),
    [],
  )

  const empty = await run('upload', '-', '--name', 'nothing.txt')
  assert.equal(empty.code, 0)
  assert.match(empty.stderr, /^Note: Standard input is empty\.$/m)
  const nameless = await run('upload', '-')
  assert.equal(nameless.code, 2)
  assert.match(nameless.stderr, /--name/)
})

test('a file is attached by SKU, shop ID or Stowage ID, and unknown products are reported before any byte is sent', async (t) => {
  const service = await aService(t, CHUNKS)
  const { baseUrl } = service
  const { run, folder } = await aCli(t, baseUrl)
  await writeFile(join(folder, 'a.txt'), 'a')
  const products = [
    { product_id: 10, variant_id: 101, name: 'Pack', variant_name: 'WAV', sku: 'PACK' },
    { product_id: 10, variant_id: 102, name: 'Pack', variant_name: 'FLAC', sku: 'PACK' },
    { product_id: 11, variant_id: 111, name: 'Book', sku: '10' },
    { product_id: 12, variant_id: 121, name: 'Film', sku: 'FILM' },
  ]
  const put = await service.call('PUT', `${API}/products`, { products })
  const ids: string[] = put.body.data.map(({ id }: { id: string }) => id)

  const unknown = await run('upload', 'a.txt', '--attach', 'PACK', '--attach', 'NOPE', '-a', '999')
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /no product NOPE\. There is no product 999/)
  const ambiguous = await run('upload', 'a.txt', '--attach', '10')
  assert.equal(ambiguous.code, 1)
  assert.match(
    ambiguous.stderr,
    /10 is ambiguous\. Pass sku:10 for a SKU or product:10 for the ID of a product/,
  )
  assert.equal((await listAll(baseUrl)).length, 0)
  assert.equal((await service.call('GET', `${API}/account`)).body.data.reserved, 0)

  const several = await run('upload', 'a.txt', '--attach', 'F')
  assert.equal(several.code, 1)
  assert.match(
    several.stderr,
    /F matches 2 products: “Film”, “Pack”\. Pass more words, a SKU or an ID/,
  )
  const attachedBy = async (...words: string[]) => {
    const { code, stdout, stderr } = await run('upload', 'a.txt', '--again', ...words, '--json')
    assert.equal(code, 0, stderr)
    const { asset } = JSON.parse(stdout)
    return asset.products.map(({ variant_id }: { variant_id: number }) => variant_id).toSorted()
  }
  assert.deepEqual(await attachedBy('--attach', 'PACK'), [101, 102])
  assert.deepEqual(await attachedBy('--attach', 'product:10', '-a', 'FILM'), [101, 102, 121])
  assert.deepEqual(await attachedBy('--attach', '111'), [111])
  assert.deepEqual(await attachedBy('--attach', 'flac pac'), [102])
  assert.deepEqual(await attachedBy('--attach', 'ac', '-a', 'ILM'), [101, 102, 121])
  assert.deepEqual(await attachedBy('--attach', ids[0] ?? ''), [101])
  // A skipped file is attached, too.
  const skipped = JSON.parse((await run('upload', 'a.txt', '-a', 'FILM', '--json')).stdout)
  const skus = skipped.asset.products.map(({ sku }: { sku: string }) => sku)
  assert.deepEqual([skipped.skipped, skus.toSorted()], [true, ['FILM', 'PACK']])
})

test('with a home folder that is not writable, uploads work, and a note warns that they cannot be resumed', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const { runWith, folder } = await aCli(t, baseUrl)
  await writeFile(join(folder, 'a.txt'), 'a')
  await symlink('nowhere', join(folder, 'broken'))
  const homes = [join(folder, 'a.txt'), join(folder, 'broken'), '/proc/nobody', '/dev/null']
  for (const home of homes) {
    const env = { HOME: home }
    const { code, stderr } = await runWith({ env }, 'upload', 'a.txt')
    assert.equal(code, 0, stderr)
    assert.match(stderr, /^Note: Cannot write to \S+ \(E\w+\)\. An interrupted upload/m)
    const login = await runWith({ env }, 'login', baseUrl, '--key', '')
    assert.equal(login.code, 1)
    assert.match(
      login.stderr,
      /^stowage: The login was not saved: .+Set STOWAGE_URL and STOWAGE_API_KEY instead\.$/m,
    )
  }
})

test('without a home folder, nothing is written to the current folder', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const { runWith, folder } = await aCli(t, baseUrl)
  await writeFile(join(folder, 'a.txt'), 'a')
  await writeFile(join(folder, ' '), 'a name that no asset may have')
  const { code, stderr } = await runWith({ env: { HOME: '' } }, 'upload', 'a.txt', ' ')
  assert.equal(code, 1)
  assert.match(stderr, /^Note: .+\. An interrupted upload will start over\.$/m)
  assert.deepEqual((await readdir(folder)).toSorted(), [' ', 'a.txt'])
})

test('all files are uploaded even if the reader of the output closes the pipe', async (t) => {
  const { baseUrl } = await aService(t, CHUNKS)
  const { start, folder } = await aCli(t, baseUrl)
  const names = Array.from({ length: 20 }, (_, index) => `${index}.txt`)
  for (const name of names) await writeFile(join(folder, name), name)
  const running = start({}, 'upload', ...names, '--json')
  running.child.stdout?.destroy()
  running.child.stderr?.destroy()
  assert.equal((await running.end()).code, 0)
  assert.equal((await listAll(baseUrl)).length, names.length)
})

test('too little storage is reported before a byte is sent', async (t) => {
  const service = await aService(t, { ...CHUNKS, STOWAGE_PLAN_STORAGE: '300000' })
  const { run, folder } = await aCli(t, service.baseUrl)
  for (const name of ['a.bin', 'b.bin']) await writeFile(join(folder, name), someBytes(200_000))
  const { code, stdout, stderr } = await run('upload', 'a.bin', 'b.bin')
  assert.deepEqual([code, stdout], [1, ''])
  const reason =
    'Nothing was sent: 2 files need 400 kB, but only 300 kB of 300 kB is free (plan “default”).'
  assert.ok(stderr.includes(reason), stderr)
  assert.equal((await service.call('GET', `${API}/account`)).body.data.reserved, 0)
})

test('a wrong command line exits with code 2, a missing file with code 1', async (t) => {
  const { baseUrl } = await aService(t)
  const { run, folder } = await aCli(t, baseUrl)
  await mkdir(join(folder, 'empty'))
  await writeFile(join(folder, 'a.txt'), 'a')
  await writeFile(join(folder, 'b.txt'), 'b')
  const expected: [string[], number, RegExp][] = [
    [[], 2, /No file given/],
    [['a.txt', 'b.txt', '--name', 'c'], 2, /for one file, but 2 were given/],
    [['a.txt', '--atach', 'x'], 2, /Did you mean --attach/],
    [['a.txt', 'nix.txt', '*.nix'], 1, /nix\.txt does not exist; no file matches \*\.nix/],
    [['empty'], 1, /no files to upload/],
    [['/dev/null'], 1, /neither a file nor a folder/],
  ]
  for (const [words, code, problem] of expected) {
    const outcome = await run('upload', ...words)
    assert.deepEqual([outcome.code, outcome.stdout], [code, ''], words.join(' '))
    assert.match(outcome.stderr, problem)
  }
  assert.equal((await listAll(baseUrl)).length, 0)
})
