import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import {
  type Event,
  type EventActor,
  type EventType,
  jobActor,
  OPERATOR,
  tokenActor,
} from '../../domain/event.ts'
import { searchWords } from '../../domain/search.ts'
import type { AccountData } from '../account-data.ts'
import type { EventSearch } from '../event-data.ts'
import {
  addWebhook,
  aLink,
  aProduct,
  aReadyAsset,
  type Contract,
  inHours,
  NOON,
  replace,
  select,
} from './builders.ts'
import { readEvents } from './check-events.ts'

const KEY: EventActor = { type: 'key', id: newUuid(), name: 'shop' }

/** The IDs of the events that match, as a call that examines all events returns them. */
async function idsOf(data: AccountData, search: Partial<EventSearch>): Promise<number[]> {
  const all = { after: 0, before: 1000, order: 'asc', limit: 100, maxExamined: 1000 } as const
  const { events, examined, isCutOff } = await data.findEvents({ ...all, ...search })
  assert.deepEqual([examined, isCutOff], [undefined, false])
  return events.map(({ id }) => id)
}

/** Reads all pages of a search. Each call examines at most `maxExamined` events. */
async function readPages(data: AccountData, search: Omit<EventSearch, 'after' | 'before'>) {
  const range = { after: 0, before: 1000 }
  const ids: number[] = []
  for (let calls = 1; ; calls += 1) {
    const { events, examined } = await data.findEvents({ ...range, ...search })
    ids.push(...events.map(({ id }) => id))
    assert.ok(events.length <= search.limit)
    if (examined === undefined) return { ids, calls }
    if (search.order === 'asc') range.after = examined.id
    else range.before = examined.id
    assert.ok(calls < 1000)
  }
}

/** The contract for the facts with which people read events, and for searching them. */
export function testEventSearch({ name, open }: Contract): void {
  test(
    name('a rename and a move have what was before, and a change without effect has nothing'),
    async (t) => {
      const { data } = await open(t)
      const id = await aReadyAsset(data, { filename: 'a.zip', path: 'x' })
      const link = await aLink(data, { bytes: 5 })
      await data.changeAsset(id, { filename: 'b.zip' })
      await data.changeAsset(id, { path: null, filename: 'b.zip' })
      await data.changeAsset(id, { path: 'y' })
      await data.changeAsset(id, { filename: 'b.zip' })
      await data.changeAsset(link, { url: 'https://example.com/y', bytes: 6 })
      const changes = (await readEvents(data)).flatMap((event) =>
        event.type === 'asset.updated' ? [event.data.previous] : [],
      )
      const url = 'https://example.com/x'
      assert.deepEqual(changes, [
        { filename: 'a.zip' },
        { path: 'x' },
        { path: null },
        {},
        { url, bytes: 5 },
      ])
    },
  )

  test(
    name('a replacement has the previous version, and whether an older version was restored'),
    async (t) => {
      const { data } = await open(t)
      const id = await aReadyAsset(data)
      await replace(data, id)
      await data.restoreVersion(id, 1)
      await data.restoreVersion(id, 2)
      const replacements = (await readEvents(data)).flatMap((event) =>
        event.type === 'asset.replaced'
          ? [[event.data.version, event.data.previous?.version, event.data.isRestored]]
          : [],
      )
      assert.deepEqual(replacements, [
        [2, 1, false],
        [1, 2, true],
        [2, 1, true],
      ])
    },
  )

  test(name('the event of a repaired file has the number of the version'), async (t) => {
    const { database, data } = await open(t)
    const sha256 = 'a'.repeat(64)
    const id = await aReadyAsset(data, { sha256 })
    for (const read of [null, sha256]) {
      await database.recordVerification(id, { sha256: read, dueAt: inHours(1) })
    }
    const repaired = (await readEvents(data)).at(-1)
    assert.equal(repaired?.type, 'asset.updated')
    assert.deepEqual([repaired.data.repairedVersion, repaired.data.previous], [1, undefined])
  })

  test(name('the events of a call have its ID, and those of other calls have none'), async (t) => {
    const { database, account, data } = await open(t)
    const call = newUuid()
    const own = database.of(account.id, KEY, call)
    const ids = [await aLink(data), await aLink(data), await aLink(data)]
    await own.putProducts([1, 2].map((variantId) => aProduct({ variantId })))
    await own.attachAssets(ids, select({ productIds: [1] }))
    await own.detachAssets(ids, select({ productIds: [1] }))
    await own.trashAssets(ids)
    await own.restoreAssets(ids)
    await own.beginTrashAll()
    // A job continues.
    while ((await database.of(account.id, jobActor('test')).continueTrashAll()) > 0);
    await own.emptyTrash(inHours(1))
    await aLink(database.of(account.id, KEY))
    const events = await readEvents(data)
    const ofCall = events.filter((event) => event.call === call)
    assert.deepEqual(
      ofCall.map(({ type }) => type),
      [
        ...Array(2).fill('product.updated'),
        ...['attached', 'detached', 'deleted', 'restored', 'deleted', 'removed'].flatMap((verb) =>
          Array(3).fill(`asset.${verb}`),
        ),
      ],
    )
    for (const { actor } of ofCall) assert.deepEqual(actor, KEY)
    const others = events.filter((event) => event.call === null)
    assert.deepEqual([others.length, events.length], [4, 24])
    assert.deepEqual(others.at(-1)?.actor, KEY)
    const { id: other } = await database.ensureAccount({ ...account, id: newUuid(), name: 'other' })
    const target = database.of(other)
    await target.importEvents(await data.listEvents({ after: 0, limit: 100 }))
    const imported = (await target.listEvents({ after: 0, limit: 100 })).events
    assert.deepEqual(
      imported.map((event) => event.call),
      events.map((event) => event.call),
    )
  })

  test(name('events are found by the type, the ID and the name of the actor'), async (t) => {
    const { database, account, data } = await open(t)
    const token = tokenActor(newUuid(), 'shop')
    const actors = [KEY, token, jobActor('shop'), OPERATOR, { ...KEY, id: newUuid() }]
    for (const actor of actors) await aLink(database.of(account.id, actor))
    assert.deepEqual(await idsOf(data, {}), [1, 2, 3, 4, 5])
    assert.deepEqual(await idsOf(data, { actor: { type: 'key' } }), [1, 5])
    assert.deepEqual(await idsOf(data, { actor: { id: KEY.id ?? '' } }), [1])
    assert.deepEqual(await idsOf(data, { actor: { id: token.id ?? '' } }), [2])
    assert.deepEqual(await idsOf(data, { actor: { type: 'key', name: 'shop' } }), [1, 5])
    assert.deepEqual(await idsOf(data, { actor: { type: 'key', name: 'Shop' } }), [])
    assert.deepEqual(await idsOf(data, { actor: { type: 'upload_token', name: 'shop' } }), [2])
    assert.deepEqual(await idsOf(data, { actor: { type: 'job', name: 'shop' } }), [3])
    assert.deepEqual(await idsOf(data, { actor: { type: 'operator' } }), [4])
  })

  test(name('events are found by words in the names that they show'), async (t) => {
    const { data } = await open(t)
    const id = await aLink(data, { filename: 'Ｉntro "100%" Café_1.pdf', path: 'Course/Week 1' })
    await data.changeAsset(id, { filename: 'outro.pdf' })
    await data.putProducts([aProduct({ name: 'Straße', sku: 'A\\B' })])
    const key = {
      id: newUuid(),
      name: 'backup',
      scope: 'read',
      hash: newUuid(),
      hint: 'h',
    } as const
    await data.addKey({ ...key, createdAt: NOON }, 10)
    await addWebhook(data, { url: 'https://hooks.example/path', description: 'Slack' })
    await data.trashAssets([id])
    const find = (search: string) => idsOf(data, { words: searchWords(search) })
    assert.deepEqual(await find('INTRO'), [1, 2])
    assert.deepEqual(await find('pdf cafe\u0301'), [1, 2])
    assert.deepEqual(await find('outro week'), [2, 6])
    assert.deepEqual(await find('"100%'), [1, 2])
    assert.deepEqual(await find('é_1'), [1, 2])
    assert.deepEqual(await find('strasse'), [3])
    assert.deepEqual(await find('a\\b'), [3])
    assert.deepEqual(await find('backup'), [4])
    assert.deepEqual(await find('slack hooks.example'), [5])
    assert.deepEqual(await find('example.com'), [1, 2, 6])
    // Keys and values that are no names, parts of two names, and other characters.
    for (const none of ['filename', 'ready', 'pdfcourse', '1_0', 'b%', 'intro week q', 'é2']) {
      assert.deepEqual(await find(none), [], none)
    }
  })

  test(
    name('a search combines types, actors, words and a range, in both directions'),
    async (t) => {
      const { database, account, data } = await open(t)
      const own = database.of(account.id, KEY)
      for (const number of [1, 2, 3]) {
        const id = await aLink(number === 2 ? data : own, { filename: `${number}.zip` })
        await own.trashAssets([id])
      }
      const types: EventType[] = ['asset.ready', 'asset.removed']
      const words = ['zip']
      const actor = { id: KEY.id ?? '' }
      assert.deepEqual(await idsOf(data, { types, words, actor }), [1, 5])
      assert.deepEqual(await idsOf(data, { types, words, actor, order: 'desc' }), [5, 1])
      assert.deepEqual(await idsOf(data, { words, actor, after: 1, before: 5 }), [2, 4])
      assert.deepEqual(await idsOf(data, { words, after: 4, before: 4 }), [])
    },
  )

  test(
    name('a call examines a limited number of events, and the next one continues'),
    async (t) => {
      const { data } = await open(t)
      for (let number = 1; number <= 30; number += 1) {
        await data.putProducts([aProduct({ variantId: number, name: `n${number}`, sku: '' })])
      }
      const updated: EventType[] = ['product.updated', 'product.deleted']
      for (const types of [undefined, updated, updated.concat(MOST_TYPES)]) {
        for (const order of ['asc', 'desc'] as const) {
          const expected = [3, 13, 23, 30]
          if (order === 'desc') expected.reverse()
          const rare = { order, types, words: ['n', '3'], limit: 10, maxExamined: 7 }
          assert.deepEqual(await readPages(data, rare), { ids: expected, calls: 5 })
          // Each call ends at its first match.
          const single = await readPages(data, { ...rare, limit: 1, maxExamined: 100 })
          assert.deepEqual(single.ids, expected)
          const every = await readPages(data, { order, types, limit: 4, maxExamined: 7 })
          assert.equal(every.ids.length, 30)
        }
      }
    },
  )

  test(
    name('the first event since a time is found, and forgotten events are left out'),
    async (t) => {
      const { database, account, data } = await open(t)
      const id = await aLink(data)
      const [event] = await readEvents(data)
      assert.ok(event)
      const { id: other } = await database.ensureAccount({
        ...account,
        id: newUuid(),
        name: 'other',
      })
      const target = database.of(other)
      assert.equal(await target.firstEventSince(NOON), 1)
      const minute = (count: number) => new Date(NOON.getTime() + count * 60_000)
      // Some have the same time.
      const events: Event[] = Array.from({ length: 50 }, (_, index) => ({
        ...event,
        id: 51 + index,
        createdAt: minute(Math.floor(index / 5)),
      }))
      await target.importEvents({ events, lastId: 100, forgottenId: 50 })
      for (const [minutes, first] of [
        [-1, 51],
        [0, 51],
        [0.5, 56],
        [1, 56],
        [9, 96],
        [9.01, 101],
      ] as const) {
        assert.equal(await target.firstEventSince(minute(minutes)), first, `${minutes}`)
      }
      assert.ok(id)
    },
  )
}

const MOST_TYPES: EventType[] = [
  'asset.ready',
  'asset.updated',
  'asset.replaced',
  'asset.deleted',
  'asset.restored',
  'asset.removed',
  'asset.damaged',
  'version.deleted',
  'upload.started',
  'upload.cancelled',
  'upload.expired',
]
