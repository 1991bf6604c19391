import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Asset } from '../../domain/asset.ts'
import { foldText, searchWords } from '../../domain/search.ts'
import type { AccountData, AssetQuery } from '../account-data.ts'
import { MAX_SMALL_RESULT } from '../shared/listing.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  change,
  firstVersion,
  KEEP,
  KEPT,
  NEWEST,
  NOON,
  reserve,
} from './builders.ts'
import { fillLongList } from './long-lists.ts'

/** The contract for finding assets by words. */
export function testAssetSearch({ name, open }: Contract): void {
  const found = async (data: AccountData, text: string, filter: Partial<AssetQuery> = {}) => {
    const query = { page: 1, perPage: 10, sort: NEWEST, words: searchWords(text), ...filter }
    const { rows, total } = await data.listAssets(query)
    assert.equal(rows.length, total, text)
    return rows.map(({ filename }) => filename)
  }
  const attach = (data: AccountData, asset: string, id = '') =>
    data.attachProducts(asset, { ids: [id], productIds: [], variantIds: [], skus: [] })

  test(
    name('every word is found in the file name or in a product, in any order and case'),
    async (t) => {
      const { data } = await open(t)
      const names = ['Pack of dusty drums.zip', 'Straße 100%_.pdf', '日本語 👩‍🚀.epub', 'alone.wav']
      const ids: string[] = []
      for (const filename of names) ids.push(await aReadyAsset(data, { filename }))
      const [kit, course] = await data.putProducts([
        aProduct({
          variantId: 1,
          name: 'Studio kit',
          variantName: 'MP3',
          sku: 'ÄK-1',
          vendor: 'Nord',
        }),
        aProduct({ variantId: 2, name: 'مرحبا', variantName: '', sku: 'C_2', vendor: '' }),
      ])
      await attach(data, ids[0] ?? '', kit?.id)
      await attach(data, ids[1] ?? '', kit?.id)
      await attach(data, ids[1] ?? '', course?.id)
      const expected: [string, number[]][] = [
        ['dusty pack', [0]],
        ['DRUMS studio', [0]],
        ['dusty studio äk-1', [0]],
        ['studio', [1, 0]],
        ['MP3 kit', [1, 0]],
        ['ÄK', [1, 0]],
        ['nord', [1, 0]],
        ['kitmp3', []],
        ['studio مرحبا', [1]],
        ['c_2 strasse', [1]],
        ['%_', [1]],
        ['_ studio', [1]],
        ['dusty alone', []],
        ['日本', [2]],
        ['👩‍🚀', [2]],
        ['ip', [0]],
        ['z', [0]],
        ['" OR', []],
        ['a', [3, 1, 0]],
      ]
      for (const [text, indexes] of expected) {
        assert.deepEqual(
          await found(data, text),
          indexes.map((index) => names[index]),
          text,
        )
      }
      assert.deepEqual(await found(data, 'studio', { name: 'drum' }), [names[0]])
      assert.deepEqual(await found(data, 'studio', { sku: 'C_2' }), [names[1]])
      assert.deepEqual(await found(data, 'mp3', { kind: 'link' }), [])
      const sort = { by: 'filename', descending: false } as const
      assert.deepEqual(await found(data, 'kit', { sort }), [names[0], names[1]])
    },
  )

  test(name('a repeated search reflects changes of products and attachments'), async (t) => {
    const { database, data } = await open(t)
    const theirs = database.of((await anAccount(database, 'other')).id)
    const [other] = await theirs.putProducts([aProduct({ name: 'Velvet' })])
    await attach(theirs, await aLink(theirs, { filename: 'theirs' }), other?.id)
    const one = await aLink(data, { filename: 'one' })
    const [product, second] = await data.putProducts([
      aProduct({ variantId: 1, name: 'Amber' }),
      aProduct({ variantId: 2, name: 'Amber' }),
    ])
    // The first word is found by the trigram index; the second one is too short for it.
    const search = async () => [await found(data, 'velvet'), await found(data, 've')]
    assert.deepEqual(await search(), [[], []])
    await attach(data, one, second?.id)
    await attach(data, one, product?.id)
    assert.deepEqual(await search(), [[], []])
    await data.putProducts([aProduct({ variantId: 1, name: 'Velvet' })])
    assert.deepEqual(await search(), [['one'], ['one']])
    await data.detachProducts(one, {
      ids: [product?.id ?? ''],
      productIds: [],
      variantIds: [],
      skus: [],
    })
    assert.deepEqual(await search(), [[], []])
    await attach(data, one, product?.id)
    assert.deepEqual(await search(), [['one'], ['one']])
    await data.deleteProduct(product?.id ?? '')
    assert.deepEqual(await search(), [[], []])
    await data.putProducts([aProduct({ variantId: 2, name: 'Amber', sku: 'VELVET' })])
    assert.deepEqual(await search(), [['one'], ['one']])
    await data.deleteAsset(one)
    assert.deepEqual(await search(), [[], []])
  })

  test(name('over 1,000 assets of a renamed product are found by its new name'), async (t) => {
    const { account, data } = await open(t, { planStorage: 1_000_000 })
    const [product] = await data.putProducts([aProduct({ name: 'Amber' })])
    assert.ok(product)
    const ids = [...(await fillLongList(data, account.id, 1101)).keys()]
    const selection = { ids: [product.id], productIds: [], variantIds: [], skus: [] }
    for (const some of [ids.slice(0, 1000), ids.slice(1000)]) {
      await data.attachAssets(some, selection)
    }
    const total = async (word: string) =>
      (await data.listAssets({ page: 1, perPage: 1, sort: NEWEST, words: [word] })).total
    assert.deepEqual([await total('amber'), await total('mb'), await total('ve')], [1101, 1101, 0])
    await data.putProducts([aProduct({ name: 'Velvet' })])
    assert.deepEqual([await total('amber'), await total('mb'), await total('ve')], [0, 0, 1101])
  })
}

const PATHS = [
  'course',
  'course/week 1',
  'course/week 1/Ünï',
  'course 2',
  'course-2',
  'course.d',
  'course0',
  'Course',
  'cours',
  'a/course',
  '100%_/x',
  null,
]

/**
 * The first code points of ranges of letters with one to four bytes in UTF-8. In the range of U+3300, each
 * character folds to several characters.
 */
const LONG_SCRIPTS = [0x61, 0x430, 0x4e00, 0x3300, 0x20000]

/** 255 pseudorandom characters, which PostgreSQL can hardly compress. */
function pseudorandomText(first: number, seed: number): string {
  const range = first === 0x61 ? 26 : first === 0x430 ? 32 : first === 0x3300 ? 88 : 4000
  let state = first + seed
  const next = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return String.fromCodePoint(first + ((state >> 8) % range))
  }
  return Array.from({ length: 255 }, next).join('')
}

/** The contract for the folders that assets came from. */
export function testPaths({ name, open }: Contract): void {
  const find = async (data: AccountData, query: Partial<AssetQuery>) => {
    const { rows, total } = await data.listAssets({ page: 1, perPage: 20, sort: NEWEST, ...query })
    assert.equal(rows.length, total)
    return rows.map(({ path }) => path).toSorted()
  }

  test(name('a path is read back from uploads, files and links, and can be changed'), async (t) => {
    const { data } = await open(t)
    const upload = anUpload({ path: 'course/week 1' })
    await data.reserveUpload({ upload, ...KEPT })
    const { id } = upload.asset
    assert.equal((await data.findUpload(id))?.asset.path, 'course/week 1')
    const { rows } = await data.listUploads({ page: 1, perPage: 10 })
    assert.equal(rows[0]?.asset.path, 'course/week 1')
    assert.equal((await change(data, id, { path: 'moved' }))?.path, 'moved')
    await data.beginCompletion(id, KEPT)
    await data.finishCompletion(id, KEEP)
    const pathOf = async (one: string) => (await data.findAsset(one))?.path
    assert.equal((await change(data, id, { filename: 'b.zip' }))?.path, 'moved')
    assert.equal(await pathOf(id), 'moved')
    assert.equal((await change(data, id, { path: null }))?.path, null)
    assert.equal(await pathOf(await aLink(data, { path: 'links' })), 'links')
    assert.equal(await pathOf(await aLink(data)), null)
  })

  test(name('a search finds the words of the current paths'), async (t) => {
    const { database, data } = await open(t)
    const ids = []
    for (const path of PATHS) ids.push(await aReadyAsset(data, { path, filename: 'notes.txt' }))
    const link = await aLink(data, { path: 'course/links' })
    await reserve(data, { path: 'course/unfinished', size: 1 })
    const theirs = database.of((await anAccount(database, 'other', 100)).id)
    await aReadyAsset(theirs, { path: 'course/theirs' })
    const search = (text: string) => find(data, { words: searchWords(text) })
    const inCourses = PATHS.filter((path) => /course/i.test(path ?? '')).toSorted()
    assert.deepEqual(await search('course notes'), inCourses)
    assert.deepEqual(await search('ÜNÏ week'), ['course/week 1/Ünï'])
    assert.deepEqual(await search('course/week'), ['course/week 1', 'course/week 1/Ünï'])
    assert.deepEqual(await search('%_'), ['100%_/x'])
    assert.deepEqual(await search('0%'), ['100%_/x'])
    assert.deepEqual(await search('theirs'), [])
    assert.deepEqual(await search('unfinished'), [])
    assert.deepEqual(await search('links'), ['course/links'])
    assert.deepEqual(await find(data, { name: 'course' }), [])
    await change(data, link, { path: 'elsewhere' })
    assert.deepEqual([await search('links'), await search('lsew')], [[], ['elsewhere']])
    await change(data, link, { path: null })
    await data.deleteAsset(ids[2] ?? '')
    assert.deepEqual([await search('lsew'), await search('ünï')], [[], []])
  })

  test(name('the longest names and paths of any script are stored and found'), async (t) => {
    const { data } = await open(t)
    for (const first of LONG_SCRIPTS) {
      const [filename, parent, child] = [1, 2, 3].map((seed) => pseudorandomText(first, seed))
      const path = `${parent}/${child}`
      await aReadyAsset(data, { filename: filename ?? '', path })
      const words = [filename, child].map((text = '') => foldText([...text].slice(-9).join('')))
      assert.deepEqual(await find(data, { words }), [path])
    }
  })

  test(name('a folder has its own assets and those below it, and no others'), async (t) => {
    const { database, data } = await open(t)
    for (const path of PATHS) await aReadyAsset(data, { path, filename: `in ${path}` })
    const theirs = database.of((await anAccount(database, 'other', 100)).id)
    await aReadyAsset(theirs, { path: 'course' })
    const inCourse = ['course', 'course/week 1', 'course/week 1/Ünï']
    assert.deepEqual(await find(data, { folder: 'course/' }), inCourse)
    assert.deepEqual(await find(data, { folder: 'course/week 1/' }), inCourse.slice(1))
    assert.deepEqual(await find(data, { folder: 'course/week/' }), [])
    assert.deepEqual(await find(data, { folder: '100%_/' }), ['100%_/x'])
    assert.deepEqual(await find(data, { folder: 'course/', name: 'week' }), inCourse.slice(1))
    assert.deepEqual(await find(data, { folder: 'course/', kind: 'link' }), [])
    assert.deepEqual(await find(data, { folder: 'course/', attached: false }), inCourse)
    const sort = { by: 'filename', descending: true } as const
    const { rows } = await data.listAssets({ page: 1, perPage: 9, folder: 'course/', sort })
    assert.deepEqual(
      rows.map(({ path }) => path),
      inCourse.toReversed(),
    )
  })

  test(name('an asset that moves is found in its new folder only'), async (t) => {
    const { data } = await open(t)
    const id = await aReadyAsset(data, { path: 'from' })
    const count = async (folder: string) => (await find(data, { folder })).length
    assert.deepEqual([await count('from/'), await count('to/')], [1, 0])
    await change(data, id, { path: 'to/there' })
    assert.deepEqual([await count('from/'), await count('to/')], [0, 1])
    await change(data, id, { path: null })
    assert.deepEqual([await count('from/'), await count('to/')], [0, 0])
    await change(data, id, { path: 'from' })
    assert.equal(await count('from/'), 1)
    await data.deleteAsset(id)
    assert.equal(await count('from/'), 0)
  })

  test(
    name('a folder of many assets is counted exactly, on every page, before and after changes'),
    async (t) => {
      const { account, data } = await open(t, { planStorage: 1_000_000 })
      const model = await fillFolders(data, account.id)
      const check = async (query: Partial<AssetQuery>) => {
        const { folder = '', sort = NEWEST, page = 1, perPage = 50 } = query
        const { rows, total } = await data.listAssets({ page, perPage, sort, folder })
        const inside = model.filter(({ path }) => `${path}/`.startsWith(folder))
        inside.sort((a, b) => (a.id < b.id ? -1 : 1))
        if (sort.descending) inside.reverse()
        const expected = inside.slice((page - 1) * perPage, page * perPage)
        assert.deepEqual(
          rows.map(({ id }) => id),
          expected.map(({ id }) => id),
        )
        assert.equal(total, inside.length)
      }
      const pages = [1, 60, 105, 106, 107]
      for (const page of pages) await check({ folder: 'big/', page })
      const [first, , third] = model
      assert.ok(first && third)
      for (const [asset, path] of [
        [first, null],
        [third, 'other'],
      ] as const) {
        await change(data, asset.id, { path })
        asset.path = path
      }
      const oldest = { by: 'created_at', descending: false } as const
      for (const page of pages) await check({ folder: 'big/', page, sort: oldest })
      await check({ folder: 'other/' })
      await check({ folder: 'big/odd/', page: 3 })
    },
  )
}

/** Creates more assets in a folder than `MAX_SMALL_RESULT`, half of them in a subfolder. */
async function fillFolders(data: AccountData, accountId: string): Promise<Asset[]> {
  const records = Array.from({ length: MAX_SMALL_RESULT + 300 }, (_, index) => {
    const path = index % 2 === 0 ? 'big' : 'big/odd'
    const { asset, id, chunkSize, expiresAt } = anUpload({ accountId, size: 0, path })
    return {
      asset: { ...asset, status: 'ready' as const },
      upload: { id, chunkSize, expiresAt },
      idempotency: undefined,
      changedAt: NOON,
      productIds: [],
      ...firstVersion({ asset }),
    }
  })
  for (let start = 0; start < records.length; start += 2500) {
    await data.importRecords({ keys: [], assets: records.slice(start, start + 2500) })
  }
  return records.map(({ asset }) => asset)
}
