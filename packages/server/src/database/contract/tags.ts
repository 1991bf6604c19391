import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_ASSET_TAGS } from '@stowage/protocol'
import { v7 as newUuid } from 'uuid'
import { MAX_ACCOUNT_TAGS } from '../../domain/tags.ts'
import type { AccountData, AssetQuery } from '../account-data.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aProduct,
  aReadyAsset,
  type Contract,
  change,
  complete,
  NEWEST,
  NOON,
  replace,
  reserve,
  select,
} from './builders.ts'

const PAGE = { page: 1, perPage: 10 }

/** The contract for the tags of assets. */
export function testTags({ name, open }: Contract): void {
  test(name('an asset keeps its tags from its upload to its removal'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data, { size: 1, tags: ['Audio', 'Summer Ü'] })
    const { id } = upload.asset
    assert.deepEqual(await tagsOf(data, id), ['Audio', 'Summer Ü'])
    assert.deepEqual(await countsOf(data), {})
    await complete(data, id)
    assert.deepEqual(await countsOf(data), { Audio: 1, 'Summer Ü': 1 })

    await replace(data, id, { size: 2, keepsName: false })
    await data.restoreVersion(id, 1)
    assert.deepEqual(await tagsOf(data, id), ['Audio', 'Summer Ü'])

    await data.trashAssets([id])
    assert.deepEqual(await countsOf(data), {})
    const trash = (tag: string) => data.listTrash({ ...PAGE, tag })
    assert.deepEqual((await trash('audio')).rows[0]?.tags, ['Audio', 'Summer Ü'])
    assert.equal((await trash('summer')).total, 0)
    await data.restoreAssets([id])
    assert.deepEqual(await countsOf(data), { Audio: 1, 'Summer Ü': 1 })
    await data.deleteAsset(id)
    assert.deepEqual(await countsOf(data), {})
  })

  test(name('the tags of an asset are replaced, also while it is uploading'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data, { tags: ['one'] })
    const { id } = upload.asset
    const changed = await change(data, id, { tags: ['three', 'two'] })
    assert.deepEqual(changed?.tags, ['three', 'two'])
    await complete(data, id)
    assert.deepEqual(await countsOf(data), { three: 1, two: 1 })
    await change(data, id, { tags: ['Two'] })
    assert.deepEqual(await countsOf(data), { Two: 1 })
    await change(data, id, { filename: 'b' })
    assert.deepEqual(await tagsOf(data, id), ['Two'])
    await change(data, id, { tags: [] })
    assert.deepEqual(await tagsOf(data, id), [])
    assert.deepEqual(await countsOf(data), {})
  })

  test(name('several assets are tagged and untagged together, or none'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    const link = await aLink(data, { tags: ['Audio'] })
    const file = await aReadyAsset(data)
    const { upload } = await reserve(data)
    const ids = [link, file, upload.asset.id]
    for (const unknown of [newUuid(), await aLink(other)]) {
      const refused = { outcome: 'assets_not_found', unknown: [unknown] }
      assert.deepEqual(await data.tagAssets([...ids, unknown], ['audio']), refused)
      assert.deepEqual(await data.untagAssets([...ids, unknown], ['audio']), refused)
    }
    assert.deepEqual(await tagsOf(data, file), [])

    const tagged = await data.tagAssets(ids, ['audio', 'sale'])
    assert.deepEqual(changedBy(tagged), ids.toSorted())
    assert.deepEqual(await tagsOf(data, link), ['Audio', 'sale'])
    assert.deepEqual(await tagsOf(data, upload.asset.id), ['audio', 'sale'])
    assert.deepEqual(await countsOf(data), { Audio: 2, sale: 2 })
    assert.deepEqual(changedBy(await data.tagAssets(ids, ['AUDIO'])), [])
    assert.deepEqual(changedBy(await data.untagAssets([link], ['AUDIO', 'none'])), [link])
    assert.deepEqual(changedBy(await data.untagAssets(ids, ['audio'])), ids.slice(1).toSorted())
    assert.deepEqual(await countsOf(data), { sale: 2 })

    await data.trashAssets([link])
    const inTrash = { outcome: 'assets_not_found', unknown: [link] }
    assert.deepEqual(await data.tagAssets([link, file], ['x']), inTrash)
    assert.deepEqual(await other.listTags(PAGE), { rows: [], total: 0 })
  })

  test(name('many assets are tagged in one call'), async (t) => {
    const { data } = await open(t)
    const ids: string[] = []
    for (let count = 0; count < 120; count += 1) ids.push(await aLink(data))
    assert.equal(changedBy(await data.tagAssets(ids, ['a', 'b'])).length, 120)
    assert.deepEqual(await countsOf(data), { a: 120, b: 120 })
    assert.equal(changedBy(await data.untagAssets(ids, ['a'])).length, 120)
    assert.deepEqual(await countsOf(data), { b: 120 })
  })

  test(name('an asset has a limited number of tags'), async (t) => {
    const { data } = await open(t)
    const tags = Array.from({ length: MAX_ASSET_TAGS }, (_, index) => `tag ${index}`).sort()
    const [full, other] = [await aLink(data, { tags }), await aLink(data)]
    assert.deepEqual(await data.tagAssets([full, other], ['one more']), {
      outcome: 'assets_full',
      ids: [full],
    })
    assert.deepEqual(await tagsOf(data, other), [])
    assert.deepEqual(changedBy(await data.tagAssets([full, other], ['TAG 0'])), [other])
  })

  test(
    name('the ready assets of an account have a limited number of different tags'),
    async (t) => {
      const { data } = await open(t)
      for (let start = 0; start < MAX_ACCOUNT_TAGS; start += MAX_ASSET_TAGS) {
        const tags = Array.from({ length: MAX_ASSET_TAGS }, (_, index) => `tag ${start + index}`)
        await aLink(data, { tags: tags.sort() })
      }
      const { asset } = anUpload({ tags: ['new'] })
      const link = { ...asset, kind: 'link' as const, status: 'ready' as const, url: 'https://a.b' }
      assert.equal(await data.addLink(link), 'too_many_tags')
      const once = { key: 'key', digest: 'digest', id: link.id, nonce: 'nonce' }
      const refused = { outcome: 'first', added: 'too_many_tags' }
      assert.deepEqual(await data.addLinkOnce(once, link), refused)
      assert.deepEqual(await data.addLinkOnce(once, link), refused)
      assert.equal((await reserve(data, { tags: ['new'] })).outcome, 'too_many_tags')
      const id = await aLink(data, { tags: ['tag 7'] })
      assert.equal(await data.changeAsset(id, { tags: ['new'] }), 'too_many_tags')
      assert.deepEqual(await data.tagAssets([id], ['new']), { outcome: 'too_many_tags' })
      assert.deepEqual(changedBy(await data.tagAssets([id], ['tag 8'])), [id])
      assert.equal((await reserve(data, { tags: ['tag 9'] })).outcome, 'reserved')

      const first = await data.listTags({ page: 1, perPage: 2, name: 'tag 9' })
      assert.deepEqual(
        first.rows.map((tag) => tag.name),
        ['tag 9', 'tag 90'],
      )
      assert.equal(first.total, 1111)
      const last = await data.listTags({ page: 10, perPage: 1000 })
      assert.deepEqual([last.rows.length, last.total], [1000, MAX_ACCOUNT_TAGS])
      assert.deepEqual((await data.listTags({ page: 11, perPage: 1000 })).rows, [])
    },
  )

  test(
    name('tags are listed by their folded names, as the oldest asset spells them'),
    async (t) => {
      const { data } = await open(t)
      const oldest = await aLink(data, { tags: ['ÄRA', 'b'] })
      await aLink(data, { tags: ['ära', 'C', 'd 100%'] })
      const names = async (query = {}) =>
        (await data.listTags({ ...PAGE, ...query })).rows.map(({ name }) => name)
      assert.deepEqual(await names(), ['b', 'C', 'd 100%', 'ÄRA'])
      assert.deepEqual(await names({ after: 'c' }), ['d 100%', 'ÄRA'])
      assert.deepEqual(await names({ page: 2, perPage: 3 }), ['ÄRA'])
      assert.deepEqual(await names({ name: 'är' }), ['ÄRA'])
      assert.deepEqual(await names({ name: '0%' }), ['d 100%'])
      assert.deepEqual(await names({ name: '_' }), [])
      await change(data, oldest, { tags: [] })
      assert.deepEqual(await names({ name: 'är' }), ['ära'])
    },
  )

  test(name('concurrent changes of tags keep the counters right'), async (t) => {
    const { data } = await open(t)
    const ids = await Promise.all(['1', '2', '3', '4'].map((filename) => aLink(data, { filename })))
    await Promise.all(
      [
        ...ids.map((id) => data.changeAsset(id, { tags: ['a', 'b'] })),
        data.tagAssets(ids, ['b', 'c']),
        data.tagAssets(ids.toReversed(), ['d']),
        data.untagAssets(ids, ['a']),
        data.trashAssets(ids.slice(0, 2)),
        data.restoreAssets(ids.slice(0, 1)),
        data.deleteAsset(ids[3] ?? ''),
      ].map((call) => call.catch(() => {})),
    )
    const expected: Record<string, number> = {}
    for (const { tags } of (await data.listAssets({ ...PAGE, sort: NEWEST })).rows) {
      for (const tag of tags) expected[tag] = (expected[tag] ?? 0) + 1
    }
    assert.deepEqual(await countsOf(data), expected)
  })

  test(name('imported assets have their tags, in the trash too'), async (t) => {
    const { data } = await open(t)
    const imported = (trashedAt?: Date) => {
      const { asset, key, id, chunkSize, expiresAt } = anUpload({ size: 1, tags: ['a', 'B'] })
      const times = { changedAt: NOON, versionCreatedAt: NOON }
      const rest = { productIds: [], lastVersion: 1, versions: [], idempotency: undefined }
      const upload = { id, chunkSize, expiresAt }
      return {
        asset: { ...asset, status: 'ready' as const },
        key,
        upload,
        trashedAt,
        ...times,
        ...rest,
      }
    }
    const [ready, trashed] = [imported(), imported(NOON)]
    await data.importRecords({ keys: [], assets: [ready, trashed] })
    assert.deepEqual(await countsOf(data), { a: 1, B: 1 })
    await data.restoreAssets([trashed.asset.id])
    assert.deepEqual(await countsOf(data), { a: 2, B: 2 })
  })
}

/** The contract for lists of assets with a tag. */
export function testTaggedLists({ name, open }: Contract): void {
  test(name('a list of assets with a tag, with other filters and in every order'), async (t) => {
    const { data } = await open(t)
    await data.putProducts([aProduct()])
    const ids: string[] = []
    for (let index = 0; index < 12; index += 1) {
      const tags = index % 2 === 0 ? ['Even', ...(index % 3 === 0 ? ['six'] : [])] : ['odd']
      const facts = { filename: `track ${index}`, path: index < 6 ? 'low' : null, tags }
      ids.push(
        index % 4 === 0
          ? await aLink(data, { ...facts, bytes: index })
          : await aReadyAsset(data, { ...facts, size: index }),
      )
    }
    await data.attachAssets(ids.slice(0, 5), select({ productIds: [1] }))
    await aLink(data, { filename: 'track' })

    const found = async (query: Partial<AssetQuery>) => {
      const { rows, total, atLeast } = await data.listAssets({ ...PAGE, sort: NEWEST, ...query })
      assert.equal(atLeast, undefined)
      return [total, ...rows.map(({ id }) => ids.indexOf(id))]
    }
    for (const attempt of ['counted', 'cached', 'changed']) {
      assert.deepEqual(await found({ tag: 'even' }), [6, 10, 8, 6, 4, 2, 0], attempt)
      assert.deepEqual(await found({ tag: 'six' }), [2, 6, 0])
      assert.deepEqual(await found({ tag: 'eve' }), [0])
      const oldest = { by: 'created_at', descending: false } as const
      assert.deepEqual(await found({ tag: 'even', sort: oldest, perPage: 2, page: 2 }), [6, 4, 6])
      assert.deepEqual(await found({ tag: 'even', perPage: 2, page: 3 }), [6, 2, 0])
      assert.deepEqual(await found({ tag: 'even', perPage: 2, page: 4 }), [6])
      assert.deepEqual(await found({ tag: 'even', after: { id: ids[6] ?? '' } }), [6, 4, 2, 0])
      const byName = { by: 'filename', descending: false } as const
      assert.deepEqual(await found({ tag: 'even', sort: byName }), [6, 0, 2, 4, 6, 8, 10])
      const bySize = { by: 'bytes', descending: true } as const
      assert.deepEqual(await found({ tag: 'even', sort: bySize, perPage: 2 }), [6, 10, 8])
      assert.deepEqual(await found({ tag: 'even', kind: 'link' }), [3, 8, 4, 0])
      assert.deepEqual(await found({ tag: 'even', attached: true }), [3, 4, 2, 0])
      assert.deepEqual(await found({ tag: 'even', name: 'track 1' }), [1, 10])
      assert.deepEqual(await found({ tag: 'even', words: ['track', '8'] }), [1, 8])
      assert.deepEqual(await found({ tag: 'even', folder: 'low/' }), [3, 4, 2, 0])
      assert.deepEqual(await found({ tag: 'even', sku: 'PACK-WAV' }), [3, 4, 2, 0])
      if (attempt === 'cached') {
        // Each change gives the same list again.
        await data.untagAssets(ids.slice(0, 4), ['even', 'odd'])
        assert.deepEqual(await found({ tag: 'even' }), [4, 10, 8, 6, 4])
        assert.deepEqual(await found({ tag: 'even', kind: 'link' }), [2, 8, 4])
        await data.tagAssets(
          ids.filter((_, index) => index < 4 && index % 2 === 0),
          ['EVEN'],
        )
      }
    }
  })
}

async function tagsOf(data: AccountData, id: string): Promise<string[] | undefined> {
  return (await data.findAsset(id))?.tags
}

async function countsOf(data: AccountData): Promise<Record<string, number>> {
  const { rows, total } = await data.listTags({ page: 1, perPage: 1000 })
  assert.equal(rows.length, total)
  return Object.fromEntries(rows.map((tag) => [tag.name, tag.assets]))
}

function changedBy(result: Awaited<ReturnType<AccountData['tagAssets']>>): string[] {
  assert.equal(result.outcome, 'done')
  return result.outcome === 'done' ? result.changed.map(({ id }) => id).sort() : []
}
