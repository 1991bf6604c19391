import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldText } from '../../domain/search.ts'
import type { AccountData, AssetQuery, UploadQuery } from '../account-data.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  expireOverdue,
  KEEP,
  KEPT,
  NEWEST,
  OVERDUE,
  reserve,
} from './builders.ts'

/** The contract for listing assets. */
export function testAssetList({ name, open }: Contract): void {
  test(name('the list contains only ready assets, newest first, in pages'), async (t) => {
    const { data } = await open(t)
    await reserve(data, { size: 1 })
    const ids: string[] = []
    for (let index = 0; index < 7; index += 1) ids.push(await aReadyAsset(data))
    const seen: string[] = []
    for (const page of [1, 2, 3, 4]) {
      const { rows, total } = await data.listAssets({ page, perPage: 3, sort: NEWEST })
      assert.equal(total, 7)
      seen.push(...rows.map(({ id }) => id))
    }
    assert.deepEqual(seen, ids.toReversed())
    const beyond = { page: Number.MAX_SAFE_INTEGER, perPage: 1000, sort: NEWEST }
    assert.deepEqual(await data.listAssets(beyond), { rows: [], total: 7 })
  })

  test(
    name('the name filter finds any part of a name, in any case, script and length'),
    async (t) => {
      const { data } = await open(t)
      const names = [
        'Sample Pack 100%.zip',
        'sample_pack_1000.zip',
        'Straße.PDF',
        '日本語の本.epub',
        'ΟΔΟΣ "x".txt',
      ]
      for (const filename of names) await aReadyAsset(data, { filename })
      const found = async (part: string) => {
        const query = { page: 1, perPage: 10, sort: NEWEST, name: foldText(part) }
        const { rows, total } = await data.listAssets(query)
        assert.equal(total, rows.length)
        return rows.map(({ filename }) => names.indexOf(filename)).sort()
      }
      const expected: [string, number[]][] = [
        ['sample', [0, 1]],
        ['PACK', [0, 1]],
        ['100%', [0]],
        ['_pack_', [1]],
        ['%', [0]],
        ['_', [1]],
        ['e_p', [1]],
        ['strasse', [2]],
        ['STRASSE.pdf', [2]],
        ['本', [3]],
        ['日本', [3]],
        ['本語の', [3]],
        ['οδος', [4]],
        ['"x"', [4]],
        ['"', [4]],
        ['x" OR', []],
        ['z', [0, 1]],
        ['ip', [0, 1]],
        ['100%.zipp', []],
        ['pack sample', []],
        // For PostgreSQL, a name contains all trigrams of this text, but not the text itself.
        ['sample sample', []],
      ]
      for (const [part, indexes] of expected) assert.deepEqual(await found(part), indexes, part)
    },
  )

  test(name('assets are sorted by age, name or size, in both directions'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const facts = [
      { filename: 'beta', size: 3 },
      { filename: 'Alpha', size: 2 },
      { filename: 'ÄLPHA 2', size: 2 },
      { filename: 'alpha', size: 1 },
      { filename: 'alpha 10', size: 9 },
      { filename: 'Alpha 9', size: 8 },
    ]
    const ids: string[] = []
    for (const fact of facts) ids.push(await aReadyAsset(data, fact))
    const order = async (by: AssetQuery['sort']['by'], descending: boolean) => {
      const { rows } = await data.listAssets({ page: 1, perPage: 9, sort: { by, descending } })
      return rows.map(({ id }) => ids.indexOf(id))
    }
    assert.deepEqual(await order('created_at', false), [0, 1, 2, 3, 4, 5])
    assert.deepEqual(await order('created_at', true), [5, 4, 3, 2, 1, 0])
    assert.deepEqual(await order('filename', false), [1, 3, 5, 4, 0, 2])
    assert.deepEqual(await order('filename', true), [2, 0, 4, 5, 3, 1])
    assert.deepEqual(await order('bytes', false), [3, 1, 2, 0, 5, 4])
    assert.deepEqual(await order('bytes', true), [4, 5, 0, 2, 1, 3])
  })

  test(name('filters can be combined, and the total counts their matches'), async (t) => {
    const { data } = await open(t)
    const [wav, mp3] = await data.putProducts([
      aProduct({ productId: 1, variantId: 11, sku: 'WAV' }),
      aProduct({ productId: 1, variantId: 12, sku: 'MP3' }),
    ])
    const pack = await aReadyAsset(data, { filename: 'pack one.zip' })
    const other = await aReadyAsset(data, { filename: 'pack two.zip' })
    const link = await aLink(data, { filename: 'pack link' })
    const attach = (asset: string, id = '') =>
      data.attachProducts(asset, { ids: [id], productIds: [], variantIds: [], skus: [] })
    await attach(pack, wav?.id)
    await attach(pack, mp3?.id)
    await attach(link, mp3?.id)
    const found = async (filter: Partial<AssetQuery>) => {
      const query = { page: 1, perPage: 1, sort: NEWEST, ...filter }
      const { total } = await data.listAssets(query)
      const { rows } = await data.listAssets({ ...query, perPage: 10 })
      assert.equal(rows.length, total)
      return rows.map(({ id }) => id)
    }
    assert.deepEqual(await found({ kind: 'file' }), [other, pack])
    assert.deepEqual(await found({ kind: 'link' }), [link])
    assert.deepEqual(await found({ attached: true }), [link, pack])
    assert.deepEqual(await found({ attached: false }), [other])
    assert.deepEqual(await found({ sku: 'WAV' }), [pack])
    assert.deepEqual(await found({ sku: 'wav' }), [])
    assert.deepEqual(await found({ productId: 1 }), [link, pack])
    assert.deepEqual(await found({ productId: 2 }), [])
    assert.deepEqual(await found({ productId: 1, kind: 'file', name: 'pack', attached: true }), [
      pack,
    ])
    assert.deepEqual(await found({ sku: 'MP3', name: 'li' }), [link])
    const sorted = await found({ name: 'pack', sort: { by: 'filename', descending: false } })
    assert.deepEqual(sorted, [link, pack, other])
  })

  test(name('a list that is requested again reflects later changes'), async (t) => {
    const { data } = await open(t)
    const one = await aLink(data, { filename: 'pack one', bytes: 1 })
    const two = await aLink(data, { filename: 'pack two', bytes: 2 })
    const largest = async () => {
      const sort = { by: 'bytes', descending: true } as const
      const { rows } = await data.listAssets({ page: 1, perPage: 9, sort, name: 'pack' })
      return rows.map(({ id, filename, bytes }) => ({ id, filename, bytes }))
    }
    const first = { id: one, filename: 'pack one', bytes: 1 }
    const second = { id: two, filename: 'pack two', bytes: 2 }
    assert.deepEqual(await largest(), [second, first])
    await data.changeAsset(one, { bytes: 3 })
    assert.deepEqual(await largest(), [{ ...first, bytes: 3 }, second])
    await data.changeAsset(two, { filename: 'PACK two' })
    assert.deepEqual(await largest(), [
      { ...first, bytes: 3 },
      { ...second, filename: 'PACK two' },
    ])
    await data.changeAsset(one, { filename: 'other' })
    assert.deepEqual(await largest(), [{ ...second, filename: 'PACK two' }])
    await data.deleteAsset(two)
    assert.deepEqual(await largest(), [])
  })
}

/** The contract for the list of unfinished uploads. */
export function testUploadList({ name, open }: Contract): void {
  const listed = async (data: AccountData, query: Partial<UploadQuery> = {}) => {
    const { rows, total } = await data.listUploads({ page: 1, perPage: 10, ...query })
    return { ids: rows.map(({ asset }) => asset.id), total }
  }

  test(
    name('the list of uploads has those that are uploading or completing, newest first'),
    async (t) => {
      const { database, data } = await open(t, { planStorage: 1000 })
      const ids: string[] = []
      for (let index = 0; index < 6; index += 1) ids.push((await reserve(data)).upload.asset.id)
      const [first, completing, cancelled, ready, reopened, last] = ids
      await aLink(data)
      const theirs = database.of((await anAccount(database, 'other', 100)).id)
      await reserve(theirs)
      for (const id of [completing, ready, reopened]) await data.beginCompletion(id ?? '', KEPT)
      await data.cancelUpload(cancelled ?? '')
      await data.finishCompletion(ready ?? '', KEEP)
      await data.reopenUpload(reopened ?? '')
      await reserve(data, OVERDUE)
      await expireOverdue(database)
      const expected = [last, reopened, completing, first]
      assert.deepEqual(await listed(data), { ids: expected, total: 4 })
      assert.equal((await listed(theirs)).total, 1)
    },
  )

  test(name('an upload is listed with the key that started it'), async (t) => {
    const { account, data } = await open(t, { planStorage: 1000 })
    const key = { id: '01981d2c-5a7e-7b21-8c3d-1e2f3a4b5c6d', name: 'shop “backend”' }
    const settingsKey = { id: null, name: 'STOWAGE_ADMIN_KEY' }
    const uploads = [null, key, settingsKey].map((startedBy) => ({
      ...anUpload({ accountId: account.id }),
      startedBy,
    }))
    for (const upload of uploads) await data.reserveUpload({ upload, ...KEPT })
    const { rows } = await data.listUploads({ page: 1, perPage: 10 })
    const expected = rows.map(({ expiresAt }, index) => ({ ...uploads[2 - index], expiresAt }))
    assert.deepEqual(rows, expected)
    const found = await data.findUpload(uploads[1]?.asset.id ?? '')
    assert.deepEqual(found?.startedBy, key)
  })

  test(name('a page of uploads and its total match while uploads start and end'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1) ids.push((await reserve(data)).upload.asset.id)
    let isOver = false
    const keepChanging = async () => {
      while (!isOver) await data.cancelUpload((await reserve(data)).upload.asset.id)
    }
    const changing = [keepChanging(), keepChanging()]
    try {
      for (let round = 0; round < 50; round += 1) {
        const { ids: found, total } = await listed(data)
        assert.equal(found.length, total)
        assert.deepEqual(found.slice(-5), ids.toReversed())
      }
    } finally {
      isOver = true
      await Promise.all(changing)
    }
  })

  test(name('uploads are found by a part of their name, page by page'), async (t) => {
    const { data } = await open(t, { planStorage: 10_000 })
    const ids: string[] = []
    for (let index = 0; index < 9; index += 1) {
      const filename = index % 2 === 0 ? `Straße ${index}%_.zip` : 'other.zip'
      const { upload } = await reserve(data, { filename, size: 1 })
      if (index % 2 === 0) ids.unshift(upload.asset.id)
    }
    await aReadyAsset(data, { filename: 'Straße.zip' })
    const found = (text: string, query: Partial<UploadQuery> = {}) =>
      listed(data, { name: foldText(text), ...query })
    assert.deepEqual(await found('STRASSE'), { ids, total: 5 })
    assert.deepEqual(await found('4%_'), { ids: ids.slice(2, 3), total: 1 })
    assert.deepEqual(await found('%r'), { ids: [], total: 0 })
    for (const page of [1, 2, 3, 4]) {
      const expected = ids.slice((page - 1) * 2, page * 2)
      assert.deepEqual(await found('ße', { page, perPage: 2 }), { ids: expected, total: 5 })
    }
    const after = { id: ids[1] ?? '' }
    const rest = await found('ße', { after, perPage: 2 })
    assert.deepEqual(rest, { ids: ids.slice(2, 4), total: 5 })
    assert.equal((await listed(data)).total, 9)
    assert.deepEqual(await listed(data, { page: 9e20 }), { ids: [], total: 9 })
  })
}
