import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldText } from '../../domain/search-text.ts'
import type { AccountData, UploadQuery } from '../account-data.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aReadyAsset,
  type Contract,
  expireOverdue,
  KEEP,
  KEPT,
  OVERDUE,
  reserve,
} from './builders.ts'

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
