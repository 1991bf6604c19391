import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { AccountData } from '../account-data.ts'
import { FOLDER_MOVE_BATCH, KEPT_FOLDER_MOVES, MAX_COUNTED_ASSETS } from '../folder-data.ts'
import {
  aLink,
  anAccount,
  anUpload,
  aReadyAsset,
  type Contract,
  KEEP,
  KEPT,
  NEWEST,
  NOON,
  replace,
  reserve,
} from './builders.ts'

const PAGE = { page: 1, perPage: 100, sort: NEWEST }

/** The contract for folders, and for moves of folders. */
export function testFolders({ name, open }: Contract): void {
  test(name('the direct subfolders of a folder are listed with their assets'), async (t) => {
    const { database, data } = await open(t, { planStorage: 1000 })
    const other = database.of((await anAccount(database, 'other')).id)
    await aLink(other, { path: 'other' })
    const paths = ['b', 'a b/c', 'a', 'a/x', 'a/x/y', 'a/z', 'ä', '📁/📄/x', 'a0', 'A', '0']
    for (const path of paths) await aLink(data, { path })
    await aLink(data)
    await reserve(data, { path: 'unfinished' })
    await data.trashAssets([await aLink(data, { path: 'trash/x' })])
    const list = async (folder: string, options = {}) => {
      const folders = await data.listFolders({ folder, limit: 100, ...options })
      return folders.map((one) => [one.path, one.assets, one.hasFolders])
    }
    const top = await list('')
    assert.deepEqual(top, [
      ['0', 1, false],
      ['A', 1, false],
      ['a b', 1, true],
      ['a', 4, true],
      ['a0', 1, false],
      ['b', 1, false],
      ['ä', 1, false],
      ['📁', 1, true],
    ])
    assert.deepEqual(await list('', { limit: 3 }), top.slice(0, 3))
    assert.deepEqual(await list('', { after: 'a b', limit: 2 }), top.slice(3, 5))
    assert.deepEqual(await list('', { after: '📁' }), [])
    assert.deepEqual(await list('a/'), [
      ['a/x', 2, true],
      ['a/z', 1, false],
    ])
    assert.deepEqual(await list('📁/'), [['📁/📄', 1, true]])
    assert.deepEqual(await list('a/x/y/'), [])
    assert.deepEqual(await list('none/'), [])
  })

  test(name('the assets of a folder are counted up to a limit'), async (t) => {
    const { data } = await open(t)
    const row = async () => (await data.listFolders({ folder: '', limit: 1 }))[0]
    for (let count = 0; count < MAX_COUNTED_ASSETS; count += 1) await aLink(data, { path: 'a/b' })
    const exact = { path: 'a', assets: MAX_COUNTED_ASSETS, isExact: true, hasFolders: true }
    assert.deepEqual(await row(), exact)
    await aLink(data, { path: 'a' })
    assert.deepEqual(await row(), { ...exact, isExact: false })
  })

  test(name('a list can be limited to the folder itself'), async (t) => {
    const { data } = await open(t)
    const inRoot = await aLink(data)
    const [inFolder] = [await aLink(data, { path: 'a' }), await aLink(data, { path: 'a/b' })]
    await aLink(data, { path: 'a b' })
    const list = async (query: { folder?: string; name?: string }) => {
      const { rows, total } = await data.listAssets({ ...PAGE, ...query, isDirect: true })
      assert.equal(total, rows.length)
      return rows.map(({ id }) => id)
    }
    assert.deepEqual(await list({ folder: 'a/' }), [inFolder])
    assert.deepEqual(await list({}), [inRoot])
    assert.deepEqual(await list({ name: 'link' }), [inRoot])
    await data.trashAssets([inFolder, inRoot])
    const trash = await data.listTrash({ page: 1, perPage: 10, folder: 'a/', isDirect: true })
    assert.deepEqual([trash.total, trash.rows[0]?.id], [1, inFolder])
    const withoutFolder = await data.listTrash({ page: 1, perPage: 10, isDirect: true })
    assert.deepEqual([withoutFolder.total, withoutFolder.rows[0]?.id], [1, inRoot])
  })

  test(name('a move changes the paths of everything in the folder and below it'), async (t) => {
    const { database, data } = await open(t, { planStorage: 10_000 })
    const other = database.of((await anAccount(database, 'other')).id)
    const untouched = await aLink(other, { path: 'a' })
    const file = await aReadyAsset(data, { path: 'a' })
    const below = await aLink(data, { path: 'a/b/a' })
    const { upload } = await reserve(data, { path: 'a/b' })
    const trashed = await aLink(data, { path: 'a' })
    await data.trashAssets([trashed])
    const beside = await aLink(data, { path: 'a b' })
    for (let count = 0; count < FOLDER_MOVE_BATCH + 5; count += 1)
      await aLink(data, { path: 'a/many' })
    const { lastId } = await data.listEvents({ after: 0, limit: 1 })
    const moved = await moveAll(data, 'a', 'Ä/new')
    const { events } = await data.listEvents({ after: lastId, limit: 1000 })
    assert.equal(events.length, moved.moved)
    assert.ok(events.every(({ type }) => type === 'asset.updated'))
    assert.deepEqual([moved.moved, moved.from, moved.to], [FOLDER_MOVE_BATCH + 9, 'a', 'Ä/new'])
    assert.ok(moved.finishedAt)
    assert.equal((await data.findAsset(file))?.path, 'Ä/new')
    assert.equal((await data.findAsset(below))?.path, 'Ä/new/b/a')
    assert.equal((await data.findUpload(upload.asset.id))?.asset.path, 'Ä/new/b')
    assert.equal((await data.findAsset(beside))?.path, 'a b')
    assert.equal((await other.findAsset(untouched))?.path, 'a')
    await data.restoreAssets([trashed])
    assert.equal((await data.findAsset(trashed))?.path, 'Ä/new')
    // It is found under its new path.
    const found = await data.listAssets({ ...PAGE, words: ['ä/new/b/a'] })
    assert.deepEqual(
      found.rows.map(({ id }) => id),
      [below],
    )
    assert.deepEqual(await database.listUnfinishedFolderMoves(), [])
    assert.deepEqual(await data.listFolderMoves(), [moved])
  })

  test(name('what arrives in a folder after the call that moves it stays'), async (t) => {
    const { database, account, data } = await open(t, { planStorage: 10_000 })
    const early = anUpload({ path: 'a' })
    const returned = await aLink(data, { path: 'a/b' })
    const replaced = await aReadyAsset(data, { path: 'a' })
    const { upload } = await reserve(data, { path: 'a' })
    const restored = await aLink(data, { path: 'a' })
    await data.trashAssets([restored])
    const left = await aLink(data, { path: 'a/z' })
    const renamed = await aLink(data, { path: 'a/z' })
    for (let count = 0; count < FOLDER_MOVE_BATCH + 5; count += 1)
      await aLink(data, { path: 'a/c' })
    const { id } = await begin(data, 'a', 'b')
    assert.deepEqual(await database.listUnfinishedFolderMoves(), [{ account: account.id, id }])

    await data.changeAsset(returned, { path: 'x' })
    await data.changeAsset(returned, { path: 'a/b' })
    await data.changeAsset(left, { path: null })
    await data.changeAsset(renamed, { filename: 'renamed', path: 'a/z' })
    // The ID was created first, for example by an instance whose clock is behind.
    const url = 'https://example.com/x'
    await data.addLink({ ...early.asset, status: 'ready', kind: 'link', url })
    const { upload: late } = await reserve(data, { path: 'a/b/c' })
    await data.continueFolderMove(id)
    const bulk = await aLink(data)
    await data.moveAssets([bulk], 'a')
    await complete(data, upload.asset.id)
    await data.restoreAssets([restored])
    await replace(data, replaced)
    const moved = await finish(data, id)

    const pathOf = async (asset: string) => (await data.findAsset(asset))?.path
    for (const asset of [early.asset.id, late.asset.id, returned, bulk]) {
      assert.match(String(await pathOf(asset)), /^a(\/|$)/)
    }
    assert.equal(await pathOf(left), null)
    for (const asset of [upload.asset.id, replaced, restored])
      assert.equal(await pathOf(asset), 'b')
    // It was there at the time of the call, and the same path is no change.
    assert.equal(await pathOf(renamed), 'b/z')
    assert.equal(moved.moved, FOLDER_MOVE_BATCH + 9)
    assert.deepEqual(await database.listUnfinishedFolderMoves(), [])
    // They were left only by that call.
    await moveAll(data, 'a', 'b', { merge: true })
    assert.equal(await pathOf(early.asset.id), 'b')
  })

  test(name('calls that continue the same move together move each asset once'), async (t) => {
    const { data } = await open(t)
    for (let count = 0; count < FOLDER_MOVE_BATCH * 3; count += 1) await aLink(data, { path: 'a' })
    const { id } = await begin(data, 'a', 'b')
    const arrivals = Array.from({ length: 20 }, () => aLink(data, { path: 'a' }))
    await Promise.all([finish(data, id), finish(data, id), ...arrivals])
    assert.equal((await data.listFolderMoves())[0]?.moved, FOLDER_MOVE_BATCH * 3)
    assert.equal((await data.listAssets({ ...PAGE, folder: 'b/' })).total, FOLDER_MOVE_BATCH * 3)
    assert.equal((await data.listAssets({ ...PAGE, folder: 'a/' })).total, 20)
    assert.equal(await data.continueFolderMove(newUuid()), undefined)
  })

  test(name('a move has one position among concurrent arrivals'), async (t) => {
    const { data } = await open(t)
    await aLink(data, { path: 'a' })
    const arriving = (async () => {
      const ids: string[] = []
      for (let count = 0; count < 60; count += 1) ids.push(await aLink(data, { path: 'a' }))
      return ids
    })()
    const { id } = await begin(data, 'a', 'b')
    await finish(data, id)
    const paths: (string | null | undefined)[] = []
    for (const asset of await arriving) paths.push((await data.findAsset(asset))?.path)
    const moved = paths.filter((path) => path === 'b').length
    assert.deepEqual(
      paths,
      paths.map((_, index) => (index < moved ? 'b' : 'a')),
    )
  })

  test(name('a folder is moved into an existing one only if they may be merged'), async (t) => {
    const { data } = await open(t)
    for (const path of ['a', 'a/b', 'b/x', 'b/x']) await aLink(data, { path })
    const refused = await data.beginFolderMove(aMove('a', 'b'), { merge: false })
    assert.deepEqual(refused, { outcome: 'target_exists', assets: 2, isExact: true })
    await moveAll(data, 'a', 'b', { merge: true })
    assert.equal((await data.listAssets({ ...PAGE, folder: 'b/' })).total, 4)
    const gone = await data.beginFolderMove(aMove('a', 'c'), { merge: false })
    assert.equal(gone.outcome, 'folder_not_found')
  })

  test(
    name('a folder is moved into one above it, even with a folder of the same name'),
    async (t) => {
      const { data } = await open(t)
      const ids: string[] = []
      for (const path of ['a/a', 'a/a/a', 'a/a/a/a', 'a/a/b']) ids.push(await aLink(data, { path }))
      await moveAll(data, 'a/a', 'a', { merge: true })
      const assets = await Promise.all(ids.map((id) => data.findAsset(id)))
      assert.deepEqual(
        assets.map((asset) => asset?.path),
        ['a', 'a/a', 'a/a/a', 'a/b'],
      )
    },
  )

  test(
    name('moves of the same folders are refused until the first one has finished'),
    async (t) => {
      const { data } = await open(t)
      for (const path of ['a/b/c', 'd', 'e']) await aLink(data, { path })
      const first = await begin(data, 'a/b', 'x/y')
      const overlapping = [
        ['a', 'z'],
        ['a/b', 'z'],
        ['a/b/c', 'z'],
        ['x', 'z'],
        ['d', 'a/b/d'],
      ]
      for (const [from = '', to = ''] of overlapping) {
        const outcome = await data.beginFolderMove(aMove(from, to), { merge: true })
        assert.deepEqual(outcome, { outcome: 'overlaps', move: first }, `${from} to ${to}`)
      }
      const others = [await begin(data, 'd', 'x/y'), await begin(data, 'e', 'z')]
      for (const { id } of [first, ...others]) await finish(data, id)
      assert.equal((await data.listAssets({ ...PAGE, folder: 'x/y/' })).total, 2)
      await moveAll(data, 'x', 'a')
    },
  )

  test(name('an asset whose new path would be too long is found, and stays'), async (t) => {
    const { data } = await open(t)
    const deep = `a/${'x/'.repeat(250)}y`
    const id = await aLink(data, { path: deep })
    await aLink(data, { path: 'a' })
    const length = [...deep].length
    assert.equal(await data.findLongPath('a/', length), undefined)
    assert.equal(await data.findLongPath('a/', length - 1), deep)
    assert.equal(await data.findLongPath('b/', 1), undefined)
    const moved = await moveAll(data, 'a', 'long name')
    assert.equal(moved.moved, 2)
    await moveAll(data, 'long name', 'a name that is much longer')
    assert.equal((await data.findAsset(id))?.path, `long name${deep.slice(1)}`)
  })

  test(name('the last finished moves are kept'), async (t) => {
    const { data } = await open(t)
    await aLink(data, { path: '0' })
    for (let count = 0; count < KEPT_FOLDER_MOVES + 2; count += 1) {
      await moveAll(data, String(count), String(count + 1))
    }
    const moves = await data.listFolderMoves()
    assert.equal(moves.length, KEPT_FOLDER_MOVES + 1)
    assert.equal(moves[0]?.to, String(KEPT_FOLDER_MOVES + 2))
  })

  test(name('several assets are moved to a folder together, or none'), async (t) => {
    const { data } = await open(t)
    const { upload } = await reserve(data, { path: 'x' })
    const ids = [await aLink(data), await aLink(data, { path: 'a' }), upload.asset.id]
    const trashed = await aLink(data)
    await data.trashAssets([trashed])
    assert.deepEqual(await data.moveAssets([...ids, trashed], 'a'), {
      outcome: 'assets_not_found',
      unknown: [trashed],
    })
    const { lastId } = await data.listEvents({ after: 0, limit: 1 })
    const moved = await data.moveAssets(ids, 'a')
    assert.ok(moved.outcome === 'done')
    const before = new Map(moved.moved.map(({ id, path }) => [id, path]))
    assert.deepEqual(
      [before.size, before.get(ids[0] ?? ''), before.get(ids[2] ?? '')],
      [2, null, 'x'],
    )
    const paths = await Promise.all(ids.map(async (id) => (await data.findAsset(id))?.path))
    assert.deepEqual(paths, ['a', 'a', 'a'])
    const { events } = await data.listEvents({ after: lastId, limit: 10 })
    assert.deepEqual(
      events.map(({ type }) => type),
      ['asset.updated', 'asset.updated'],
    )
    assert.equal((await data.moveAssets(ids, null)).outcome, 'done')
    assert.equal((await data.listAssets({ ...PAGE, isDirect: true })).total, 2)
  })

  test(name('an unfinished move of a folder is exported and imported'), async (t) => {
    const { database, data } = await open(t)
    const other = (await anAccount(database, 'other', 1000)).id
    const covered = await aLink(data, { path: 'a/b' })
    await begin(data, 'a', 'b')
    const arrived = await aLink(data, { path: 'a/b' })
    const records = await database.listRecords(undefined, 1000)
    assert.deepEqual(
      records.map(({ isBeingMoved = false }) => isBeingMoved),
      [true, false],
    )
    const [record] = await data.listFolderMoveRecords()
    assert.ok(record)
    // The copies have other IDs, because both accounts are in the same database.
    const copies = records.map((one) => {
      return { ...one, asset: { ...one.asset, id: copyOf(one.asset.id), accountId: other } }
    })
    const target = database.of(other)
    const move = { ...record.move, id: newUuid() }
    for (let run = 0; run < 2; run += 1) {
      await target.importFolderMove({ ...record, move })
      await target.importRecords({ keys: [], assets: copies })
    }
    await finish(target, move.id)
    assert.equal((await target.findAsset(copyOf(covered)))?.path, 'b/b')
    assert.equal((await target.findAsset(copyOf(arrived)))?.path, 'a/b')
    await finish(data, record.move.id)
  })
}

function copyOf(id: string): string {
  return id.slice(0, -1) + (id.endsWith('f') ? 'e' : 'f')
}

function aMove(from: string, to: string) {
  return { id: newUuid(), source: `${from}/`, destination: `${to}/`, createdAt: NOON }
}

async function begin(data: AccountData, from: string, to: string, { merge = false } = {}) {
  const result = await data.beginFolderMove(aMove(from, to), { merge })
  assert.ok(result.outcome === 'begun', `${from} to ${to}: ${result.outcome}`)
  return result.move
}

async function finish(data: AccountData, id: string) {
  for (;;) {
    const progress = await data.continueFolderMove(id)
    assert.ok(progress)
    assert.ok(progress.compared <= FOLDER_MOVE_BATCH)
    if (progress.isDone) return progress.move
  }
}

async function moveAll(data: AccountData, from: string, to: string, options = {}) {
  const { id } = await begin(data, from, to, options)
  return finish(data, id)
}

async function complete(data: AccountData, id: string): Promise<void> {
  await data.beginCompletion(id, KEPT)
  assert.equal(await data.finishCompletion(id, KEEP), 'ready')
}
