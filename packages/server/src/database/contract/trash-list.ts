import assert from 'node:assert/strict'
import { test } from 'node:test'
import { trashCursorText } from '../../domain/cursor.ts'
import type { AccountData } from '../account-data.ts'
import type { Database } from '../database.ts'
import type { TrashQuery } from '../trash-data.ts'
import { aLink, anAccount, aReadyAsset, type Contract, inHours } from './builders.ts'

const PAGE = { page: 1, perPage: 10 }
const HOUR_MS = 3_600_000

/** Moves the first three assets to the trash one after another, and the others at the same time. */
async function trashOneByOne(database: Database, data: AccountData, ids: string[]): Promise<void> {
  for (const id of ids.slice(0, 3)) {
    await data.trashAssets([id])
    const now = (await database.readClock()).getTime()
    while ((await database.readClock()).getTime() <= now + 1);
  }
  await data.trashAssets(ids.slice(3))
}

/** The contract for the list of the trash. */
export function testTrashList({ name, open }: Contract): void {
  test(name('the trash is listed by page and by cursor, latest deletion first'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'other')).id)
    await other.trashAssets([await aLink(other)])
    await aLink(data)
    const ids: string[] = []
    for (let count = 0; count < 7; count += 1) ids.push(await aLink(data))
    await trashOneByOne(database, data, ids)
    const newestFirst = [...ids.slice(3).sort().reverse(), ...ids.slice(0, 3).reverse()]
    const read = async (query: Partial<TrashQuery>) => {
      const { rows, total } = await data.listTrash({ ...PAGE, ...query })
      assert.equal(total, 7)
      return rows
    }
    for (const page of [1, 2, 3, 4, 5]) {
      const rows = await read({ page, perPage: 2 })
      assert.deepEqual(
        rows.map(({ id }) => id),
        newestFirst.slice((page - 1) * 2, page * 2),
      )
    }
    const seen: string[] = []
    let after: TrashQuery['after']
    for (;;) {
      const rows = await read({ perPage: 2, ...(after && { after }) })
      const last = rows.at(-1)
      if (last === undefined) break
      seen.push(...rows.map(({ id }) => id))
      after = { id: last.id, value: last.trashedAt.getTime() }
      assert.equal(trashCursorText(last), `${after.id}.${after.value}`)
    }
    assert.deepEqual(seen, newestFirst)
  })

  test(name('the trash is filtered by name, words, kind and folder'), async (t) => {
    const { data } = await open(t)
    const file = await aReadyAsset(data, { filename: 'Straße 1.zip', path: 'course/week 1' })
    const link = await aLink(data, { filename: 'course 50%', path: null })
    const beside = await aLink(data, { filename: 'notes', path: 'course 2' })
    await data.trashAssets([file, link, beside])
    const find = async (query: Partial<TrashQuery>) => {
      const { rows, total } = await data.listTrash({ ...PAGE, ...query })
      assert.equal(total, rows.length)
      return rows.map(({ id }) => id).sort()
    }
    assert.deepEqual(await find({ name: '50%' }), [link])
    assert.deepEqual(await find({ name: '0_' }), [])
    assert.deepEqual(await find({ words: ['course'] }), [file, link, beside].sort())
    assert.deepEqual(await find({ words: ['week', 'strasse'] }), [file])
    assert.deepEqual(await find({ words: ['week', 'notes'] }), [])
    assert.deepEqual(await find({ kind: 'file' }), [file])
    assert.deepEqual(await find({ kind: 'link' }), [link, beside].sort())
    assert.deepEqual(await find({ folder: 'course/' }), [file])
    assert.deepEqual(await find({ folder: 'course/', kind: 'link' }), [])
  })

  test(
    name(
      'for assets deleted while the clock was ahead, the time in the trash starts at the next removal',
    ),
    async (t) => {
      const { database, data } = await open(t)
      const id = await aLink(data)
      await data.trashAssets([id])
      const [record] = await database.listRecords(undefined, 10)
      assert.ok(record)
      await data.deleteAsset(id)
      await database.forgetEndedAssets(inHours(1), 10)
      const ahead = { ...record, trashedAt: inHours(10_000) }
      await data.importRecords({ keys: [], assets: [ahead] })
      assert.equal(await database.removeOldTrash(HOUR_MS), 0)
      const [listed] = (await data.listTrash(PAGE)).rows
      assert.ok(listed && listed.trashedAt <= inHours(0.1), `${listed?.trashedAt}`)
      assert.equal(await database.removeOldTrash(-HOUR_MS), 1)
    },
  )
}
