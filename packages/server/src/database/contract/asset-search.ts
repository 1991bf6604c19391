import assert from 'node:assert/strict'
import { test } from 'node:test'
import { searchWords } from '../../domain/search-words.ts'
import type { AccountData, AssetQuery } from '../account-data.ts'
import { aLink, anAccount, aProduct, aReadyAsset, type Contract, NEWEST } from './builders.ts'
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
