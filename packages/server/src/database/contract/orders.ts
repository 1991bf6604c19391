import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { NewOrder, NewOrderLine, Order } from '../../domain/order.ts'
import type { Cursor } from '../../domain/paging.ts'
import { sortName } from '../../domain/search.ts'
import type { AccountData } from '../account-data.ts'
import type { OrderQuery } from '../order-data.ts'
import {
  aLink,
  anAccount,
  aProduct,
  aReadyAsset,
  type Contract,
  inHours,
  NOON,
  replace,
  select,
} from './builders.ts'

function anOrder(facts: Partial<NewOrder> = {}): NewOrder {
  const id = newUuid()
  return {
    id,
    source: 'api',
    reference: null,
    assetIds: [],
    sealedToken: `sealed:${id}`,
    tokenHash: `hash of ${id}`,
    createdAt: NOON,
    ...facts,
  }
}

export async function addOrder(data: AccountData, facts: Partial<NewOrder> = {}): Promise<Order> {
  const added = await data.putOrder(anOrder(facts))
  assert.ok(added.outcome === 'added', JSON.stringify(added))
  return added.order
}

/** An asset that is attached to product 1, with its two variants. */
async function aSoldAsset(data: AccountData, filename = 'a.zip'): Promise<string> {
  await data.putProducts([aProduct({ variantId: 11 }), aProduct({ variantId: 12 })])
  const id = await aReadyAsset(data, { filename })
  await data.attachProducts(id, select({ productIds: [1] }))
  return id
}

const LINE = { productId: 1, variantId: null, quantity: 1 }
const NEWEST = { by: 'created_at', descending: true } as const
const PAGE: OrderQuery = { page: 1, perPage: 10, sort: NEWEST }

function press(data: AccountData, orderId: string, assetId: string) {
  return data.openDownload({ id: newUuid(), orderId, assetId, addressHash: 'buyer' })
}

async function usedOf(data: AccountData, orderId: string, assetId: string) {
  const files = await data.listCoveredFiles(orderId, 1000)
  return files.find(({ asset }) => asset.id === assetId)?.used
}

async function eventTypes(data: AccountData): Promise<string[]> {
  const { events } = await data.listEvents({ after: 0, limit: 1000 })
  return events.map(({ type }) => type).filter((type) => type.startsWith('order.'))
}

/** The contract for orders: what they cover, and how they are changed and listed. */
export function testOrders({ name, open }: Contract): void {
  test(name('an order is created once for each reference, and then changed'), async (t) => {
    const { database, account, data } = await open(t)
    const assetId = await aSoldAsset(data)
    const facts = { reference: 'shop-1', number: '#1', email: 'ada@example.com', lines: [LINE] }
    const puts = await Promise.all([1, 2, 3, 4].map(() => data.putOrder(anOrder(facts))))
    const outcomes = puts.map(({ outcome }) => outcome).sort()
    assert.deepEqual(outcomes, ['added', 'changed', 'changed', 'changed'])
    const order = await data.findOrder({ id: null, reference: 'shop-1' })
    assert.ok(order)
    assert.equal(order.accountId, account.id)
    assert.deepEqual(
      order.lines.map(({ product, ...line }) => [line, product?.variantName]),
      [[{ productId: 1, variantId: null, quantity: 1, refunded: 0 }, 'WAV']],
    )
    assert.deepEqual(await eventTypes(data), ['order.created'])
    const changed = await data.putOrder(
      anOrder({ ...facts, email: 'b@example.com', assetIds: [assetId] }),
    )
    assert.ok(changed.outcome === 'changed')
    assert.deepEqual([changed.order.id, changed.order.email], [order.id, 'b@example.com'])
    assert.equal(changed.order.sealedToken, order.sealedToken)
    assert.deepEqual((await data.assetsOfOrders([order.id])).get(order.id)?.length, 1)
    assert.deepEqual(await eventTypes(data), ['order.created', 'order.updated'])
    assert.deepEqual(await data.findOrder({ id: order.id, reference: '' }), changed.order)
    assert.equal((await data.listOrders(PAGE)).total, 1)
    const manual = await data.putOrder(anOrder({ ...facts, source: 'manual' }))
    assert.equal(manual.outcome, 'added')
    const other = database.of((await anAccount(database, 'other')).id)
    assert.equal(await other.findOrder({ id: order.id, reference: 'shop-1' }), undefined)
    assert.equal(await other.revokeOrder(order.id), false)
    assert.deepEqual(await press(other, order.id, assetId), { outcome: 'not_found' })
    assert.deepEqual(await database.findOrderByToken(order.tokenHash), {
      accountId: account.id,
      id: order.id,
    })
    assert.equal(await database.findOrderByToken('unknown'), undefined)
  })

  test(name('an order with unknown products or assets changes nothing'), async (t) => {
    const { database, data } = await open(t)
    await aSoldAsset(data)
    const other = database.of((await anAccount(database, 'other')).id)
    const theirs = await aReadyAsset(other)
    const lines = [LINE, { ...LINE, variantId: 99 }, { ...LINE, productId: 2 }]
    const refused = await data.putOrder(anOrder({ lines, assetIds: [theirs] }))
    assert.deepEqual(refused, { outcome: 'unknown', lines: [1, 2], assetIds: [theirs] })
    const order = await addOrder(data, { lines: [LINE] })
    const change = await data.changeOrder(order.id, { label: 'x', lines })
    assert.deepEqual(change, { outcome: 'unknown', lines: [1, 2], assetIds: [] })
    const over = { lines: [{ ...LINE, refunded: 2 }] }
    assert.deepEqual(await data.changeOrder(order.id, over), { outcome: 'over_refunded', line: 0 })
    assert.deepEqual(await data.findOrder({ id: order.id, reference: '' }), order)
    const attached = await data.attachToOrder(order.id, [theirs], 10)
    assert.deepEqual(attached, { outcome: 'unknown', lines: [], assetIds: [theirs] })
    assert.deepEqual(await data.changeOrder(newUuid(), {}), { outcome: 'not_found' })
    assert.deepEqual(await eventTypes(data), ['order.created'])
  })

  test(name('what an order covers is decided when it is read'), async (t) => {
    const { data } = await open(t, { planStorage: 1000 })
    const first = await aSoldAsset(data, 'b.zip')
    const own = await aReadyAsset(data, { filename: 'own.pdf' })
    const order = await addOrder(data, { lines: [{ ...LINE, quantity: 2 }], assetIds: [own] })
    const covered = async () =>
      (await data.listCoveredFiles(order.id, 1000)).map(({ asset, line, copies }) => [
        asset.filename,
        asset.version,
        line,
        copies,
      ])
    assert.deepEqual(await covered(), [
      ['b.zip', 1, 0, 2],
      ['own.pdf', 1, undefined, 1],
    ])
    await replace(data, first)
    const later = await aReadyAsset(data, { filename: 'a.zip' })
    await data.attachProducts(later, select({ variantIds: [12] }))
    assert.equal(await data.countCopies(order.id, later), 2)
    assert.equal(await data.countCopies(newUuid(), later), 0)
    assert.deepEqual((await covered()).slice(0, 2), [
      ['b.zip', 2, 0, 2],
      ['a.zip', 1, 0, 2],
    ])
    await data.arrangeFiles(1, [later, first])
    assert.deepEqual((await covered()).slice(0, 2), [
      ['a.zip', 1, 0, 2],
      ['b.zip', 2, 0, 2],
    ])
    await data.trashAssets([own])
    await data.changeOrder(order.id, { lines: [{ ...LINE, variantId: 11 }] })
    assert.deepEqual(await covered(), [['b.zip', 2, 0, 1]])
    const refunded = await data.changeOrder(order.id, {
      lines: [{ ...LINE, variantId: 11, refunded: 1 }],
    })
    assert.ok(refunded.outcome === 'changed')
    assert.deepEqual(await covered(), [])
    const again = await data.changeOrder(order.id, { lines: [{ ...LINE, variantId: 11 }] })
    assert.ok(again.outcome === 'changed')
    assert.equal(again.order.lines[0]?.refunded, 1)
    // Each of several lines with one product keeps its own.
    const line = { ...LINE, variantId: 11 }
    const refundedOf = async (lines: NewOrderLine[]) => {
      const changed = await data.changeOrder(order.id, { lines })
      assert.ok(changed.outcome === 'changed')
      return changed.order.lines.map(({ refunded }) => refunded)
    }
    const none = { ...line, refunded: 0 }
    assert.deepEqual(await refundedOf([none, { ...line, refunded: 1 }, none]), [0, 1, 0])
    assert.deepEqual(await refundedOf([line, line, line, line]), [0, 1, 0, 0])
    assert.deepEqual(await refundedOf([{ ...line, refunded: 1 }]), [1])
    await data.restoreAssets([own])
    assert.deepEqual(await covered(), [['own.pdf', 1, undefined, 1]])
    assert.equal((await data.detachFromOrder(order.id, [own])).outcome, 'changed')
    assert.deepEqual(await covered(), [])
    assert.deepEqual(
      await Promise.all([first, own].map((id) => data.countCopies(order.id, id))),
      [0, 0],
    )
    const many = await data.attachToOrder(order.id, [first, own], 1)
    assert.deepEqual(many, { outcome: 'too_many' })
  })

  test(
    name('orders are found by their texts, number, status, source, asset and product'),
    async (t) => {
      const { data } = await open(t)
      const assetId = await aSoldAsset(data)
      const link = await aLink(data)
      const ids = [
        await addOrder(data, { number: '#1', email: 'Ada@example.com', lines: [LINE] }),
        await addOrder(data, { name: 'Grace Hopper', source: 'manual', assetIds: [link] }),
        await addOrder(data, { reference: 'x_%', isHeld: true, assetIds: [assetId] }),
        await addOrder(data, { label: 'late', expiresAt: inHours(-1), lines: [LINE] }),
      ].map(({ id }) => id)
      await data.revokeOrder(ids[1] ?? '')
      const found = async (query: Partial<OrderQuery>) => {
        const { rows, total } = await data.listOrders({ ...PAGE, ...query })
        assert.equal(total, rows.length)
        return rows.map(({ id }) => ids.indexOf(id))
      }
      assert.deepEqual(await found({}), [3, 2, 1, 0])
      assert.deepEqual(await found({ sort: { ...NEWEST, descending: false } }), [0, 1, 2, 3])
      assert.deepEqual(await found({ words: ['ada', 'example'] }), [0])
      assert.deepEqual(await found({ words: ['grace'] }), [1])
      assert.deepEqual(await found({ words: ['_%'] }), [2])
      assert.deepEqual(await found({ number: '#1' }), [0])
      assert.deepEqual(await found({ number: '#' }), [])
      assert.deepEqual(await found({ status: 'active' }), [0])
      assert.deepEqual(await found({ status: 'revoked' }), [1])
      assert.deepEqual(await found({ status: 'held' }), [2])
      assert.deepEqual(await found({ status: 'expired' }), [3])
      assert.deepEqual(await found({ source: 'manual' }), [1])
      assert.deepEqual(await found({ asset: assetId }), [3, 2, 0])
      assert.deepEqual(await found({ asset: link }), [1])
      assert.deepEqual(await found({ productId: 1 }), [3, 0])
      const pages = [1, 2, 3].map((page) => data.listOrders({ ...PAGE, page, perPage: 2 }))
      const counts = (await Promise.all(pages)).map(({ rows, total }) => [rows.length, total])
      assert.deepEqual(counts, [
        [2, 4],
        [2, 4],
        [0, 4],
      ])
      await data.changeOrder(ids[0] ?? '', { number: '#10', orderedAt: inHours(5) })
      await data.changeOrder(ids[1] ?? '', { number: '#9', orderedAt: inHours(1) })
      await data.changeOrder(ids[2] ?? '', { orderedAt: inHours(1) })
      const sorts = [
        ['order_number', [2, 3, 1, 0]],
        ['ordered_at', [3, 1, 2, 0]],
      ] as const
      for (const [by, expected] of sorts) {
        for (const descending of [false, true]) {
          const sort = { by, descending }
          const inOrder = descending ? expected.toReversed() : expected
          assert.deepEqual(await found({ sort }), inOrder, `${by} ${descending}`)
          // Page after page.
          const pages: number[] = []
          for (let after: Cursor | undefined; ; ) {
            const query = { ...PAGE, perPage: 1, sort, ...(after && { after }) }
            const { rows, total } = await data.listOrders(query)
            assert.equal(total, 4)
            const [order] = rows
            if (order === undefined) break
            pages.push(ids.indexOf(order.id))
            const value =
              by === 'ordered_at' ? order.orderedAt.getTime() : sortName(order.number ?? '')
            after = { id: order.id, value }
          }
          assert.deepEqual(pages, inOrder)
        }
      }
      assert.deepEqual(
        await found({ number: '#10', sort: { by: 'ordered_at', descending: true } }),
        [0],
      )
      const after = await data.listOrders({ ...PAGE, after: { id: ids[2] ?? '' } })
      assert.deepEqual(
        after.rows.map(({ id }) => ids.indexOf(id)),
        [1, 0],
      )
    },
  )

  test(name('revoking an order is final and idempotent'), async (t) => {
    const { data } = await open(t)
    const assetId = await aSoldAsset(data)
    const order = await addOrder(data, { reference: 'r', lines: [LINE] })
    assert.equal((await press(data, order.id, assetId)).outcome, 'open')
    assert.equal(await data.revokeOrder(order.id), true)
    assert.equal(await data.revokeOrder(order.id), true)
    assert.equal(await data.revokeOrder(newUuid()), false)
    assert.deepEqual(await press(data, order.id, assetId), { outcome: 'revoked' })
    const again = await data.putOrder(anOrder({ reference: 'r', lines: [LINE] }))
    assert.ok(again.outcome === 'changed' && again.order.status === 'revoked')
    assert.deepEqual(await eventTypes(data), ['order.created', 'order.downloaded', 'order.revoked'])
  })

  test(name('a creation with an idempotency key creates one order'), async (t) => {
    const { data } = await open(t)
    await aSoldAsset(data)
    const once = () => ({ key: 'k', digest: 'd', id: newUuid(), nonce: 'n' })
    const outcomes = await Promise.all(
      [1, 2, 3].map(() => {
        const given = once()
        return data.putOrderOnce(given, anOrder({ id: given.id, lines: [LINE] }))
      }),
    )
    assert.deepEqual(outcomes.map(({ outcome }) => outcome).sort(), [
      'first',
      'repeated',
      'repeated',
    ])
    assert.equal((await data.listOrders(PAGE)).total, 1)
    const refused = await data.putOrderOnce(
      { ...once(), key: 'l' },
      anOrder({ lines: [{ ...LINE, productId: 9 }] }),
    )
    assert.ok(refused.outcome === 'first' && refused.added.outcome === 'unknown')
    const retried = await data.putOrderOnce(
      { ...once(), key: 'l', digest: 'e' },
      anOrder({ lines: [LINE] }),
    )
    assert.ok(retried.outcome === 'first' && retried.added.outcome === 'added')
  })
}

/** The contract for the downloads of orders: how they are counted. */
export function testDownloads({ name, open }: Contract): void {
  test(name('60 concurrent starts of a file open one download, which counts once'), async (t) => {
    const { data } = await open(t)
    const assetId = await aSoldAsset(data)
    const order = await addOrder(data, { lines: [LINE], maxDownloads: 1 })
    const opened = await Promise.all(
      Array.from({ length: 60 }, () => press(data, order.id, assetId)),
    )
    const ids = new Set(opened.map((one) => (one.outcome === 'open' ? one.id : one.outcome)))
    assert.equal(ids.size, 1)
    assert.equal(opened.filter((one) => one.outcome === 'open' && one.isNew).length, 1)
    assert.equal(await usedOf(data, order.id, assetId), 1)
    const { rows, total } = await data.listDownloads(order.id, { page: 1, perPage: 10 })
    assert.equal(total, 1)
    const { openedAt, ...download } = rows[0] ?? assert.fail()
    assert.ok(Math.abs(openedAt.getTime() - Date.now()) < 60_000)
    assert.deepEqual(download, {
      id: [...ids][0],
      orderId: order.id,
      assetId,
      version: 1,
      filename: 'a.zip',
      bytes: 0,
      addressHash: 'buyer',
      starts: 0,
      cost: 1,
    })
    assert.deepEqual(await eventTypes(data), ['order.created', 'order.downloaded'])
  })

  test(
    name('after ten starts from the first byte, the next one counts as another download'),
    async (t) => {
      const { database, account, data } = await open(t)
      const assetId = await aSoldAsset(data)
      const order = await addOrder(data, { lines: [LINE], maxDownloads: 2 })
      const opened = await press(data, order.id, assetId)
      assert.ok(opened.outcome === 'open')
      const { id } = opened
      const found = await database.findDownload(id)
      assert.deepEqual([found?.accountId, found?.orderId], [account.id, order.id])
      const start = (isStart: boolean) => data.continueDownload(id, isStart)
      for (let count = 0; count < 20; count += 1) await start(false)
      const starts = await Promise.all(Array.from({ length: 10 }, () => start(true)))
      assert.ok(starts.every(({ outcome }) => outcome === 'open'))
      assert.equal(await usedOf(data, order.id, assetId), 1)
      assert.equal((await start(true)).outcome, 'open')
      assert.equal(await usedOf(data, order.id, assetId), 2)
      const more = await Promise.all(Array.from({ length: 20 }, () => start(true)))
      assert.equal(more.filter(({ outcome }) => outcome === 'open').length, 9)
      assert.ok(more.every(({ outcome }) => outcome === 'open' || outcome === 'limit_reached'))
      assert.equal(await usedOf(data, order.id, assetId), 2)
      // A range still continues the download.
      assert.equal((await start(false)).outcome, 'open')
      const [logged] = (await data.listDownloads(order.id, { page: 1, perPage: 1 })).rows
      assert.deepEqual([logged?.starts, logged?.cost], [20, 2])
      assert.equal((await data.findOrder({ id: order.id, reference: '' }))?.downloads, 2)
      assert.deepEqual(await eventTypes(data), [
        'order.created',
        'order.downloaded',
        'order.downloaded',
        'order.limit_reached',
      ])
      const today = Math.floor(Date.now() / 86_400_000)
      const range = { from: today - 1, to: today + 1, limit: 10 }
      assert.deepEqual(
        (await data.readDownloadTotals({ by: 'day', ...range })).map(({ downloads }) => downloads),
        [2],
      )
      assert.deepEqual(await data.readDownloadTotals({ by: 'asset', ...range }), [
        { subject: assetId, downloads: 2 },
      ])
      assert.deepEqual(await data.readDownloadTotals({ by: 'product', ...range }), [
        { subject: '1', downloads: 2 },
      ])
      const ofAsset = (asset: string) => data.readDownloadTotals({ by: 'day', asset, ...range })
      assert.deepEqual(
        (await ofAsset(assetId)).map(({ downloads }) => downloads),
        [2],
      )
      assert.deepEqual(await ofAsset(newUuid()), [])
      await data.revokeOrder(order.id)
      assert.deepEqual(await start(false), { outcome: 'revoked' })
      assert.deepEqual(await data.continueDownload(newUuid(), false), { outcome: 'not_found' })
      // The product of the limit and the quantity needs more than 32 bits.
      const most = { maxDownloads: 1_000_000, lines: [{ ...LINE, quantity: 1_000_000 }] }
      const large = await press(data, (await addOrder(data, most)).id, assetId)
      assert.ok(large.outcome === 'open')
      assert.equal((await data.continueDownload(large.id, true)).outcome, 'open')
    },
  )

  test(name('the limit is per file and multiplied by the remaining quantity'), async (t) => {
    const { data } = await open(t)
    const assetId = await aSoldAsset(data)
    const link = await aLink(data)
    await data.attachProducts(link, select({ productIds: [1] }))
    const order = await addOrder(data, { lines: [{ ...LINE, quantity: 3 }] })
    const record = { order, assetIds: [] }
    const closed = (used: number, asset: string) => ({
      assetId: asset,
      used,
      downloadId: newUuid(),
      openUntil: inHours(-1),
      starts: 1,
    })
    // A copy of the order whose downloads are over.
    const counted = { downloads: 11, maxDownloads: 2 }
    const copy = { ...order, ...counted, id: newUuid(), tokenHash: 'copy' }
    const files = [closed(5, assetId), closed(6, link)]
    await data.importOrders({ orders: [{ ...record, order: copy, files }], downloads: [] })
    const presses = (asset: string) =>
      Promise.all(Array.from({ length: 20 }, () => press(data, copy.id, asset)))
    assert.ok((await presses(assetId)).every(({ outcome }) => outcome === 'open'))
    assert.equal(await usedOf(data, copy.id, assetId), 6)
    assert.ok((await presses(link)).every(({ outcome }) => outcome === 'limit_reached'))
    assert.equal(await usedOf(data, copy.id, link), 6)
    // The refund takes away two copies: the limit is 2, but an open download continues.
    await data.changeOrder(copy.id, { lines: [{ ...LINE, quantity: 3, refunded: 2 }] })
    assert.equal((await press(data, copy.id, assetId)).outcome, 'open')
    await data.changeOrder(copy.id, { maxDownloads: 7 })
    assert.equal((await press(data, copy.id, link)).outcome, 'open')
    assert.equal(await usedOf(data, copy.id, link), 7)
    assert.deepEqual((await eventTypes(data)).slice(1), [
      'order.downloaded',
      'order.limit_reached',
      'order.updated',
      'order.updated',
      'order.downloaded',
    ])
  })

  test(
    name('an order that is held or expired, or does not cover the file, opens no download'),
    async (t) => {
      const { data } = await open(t)
      const assetId = await aSoldAsset(data)
      const order = await addOrder(data, { lines: [LINE], isHeld: true })
      const link = await aLink(data)
      assert.deepEqual(await press(data, order.id, assetId), { outcome: 'held' })
      await data.changeOrder(order.id, { isHeld: false, expiresAt: inHours(-1) })
      assert.deepEqual(await press(data, order.id, assetId), { outcome: 'expired' })
      await data.changeOrder(order.id, { expiresAt: inHours(1) })
      assert.deepEqual(await press(data, order.id, link), { outcome: 'not_found' })
      assert.deepEqual(await press(data, order.id, newUuid()), { outcome: 'not_found' })
      const opened = await press(data, order.id, assetId)
      assert.ok(opened.outcome === 'open')
      await data.detachProducts(assetId, select({ productIds: [1] }))
      assert.deepEqual(await data.continueDownload(opened.id, false), { outcome: 'not_found' })
      assert.deepEqual(await press(data, order.id, assetId), { outcome: 'not_found' })
    },
  )

  test(name('the downloads of an asset are listed with their orders, newest first'), async (t) => {
    const { database, data } = await open(t)
    const assetId = await aSoldAsset(data)
    const orders: Order[] = []
    for (const number of ['#1', '#2', '#3']) {
      const order = await addOrder(data, { number, lines: [LINE], label: 'VIP' })
      await press(data, order.id, assetId)
      await press(data, order.id, assetId)
      orders.push(order)
    }
    const list = async (query: { page: number; perPage: number; after?: { id: string } }) => {
      const { rows, total } = await data.listDownloadsOfAsset(assetId, query)
      return [rows.map(({ order }) => order.number), total]
    }
    assert.deepEqual(await list({ page: 1, perPage: 2 }), [['#3', '#2'], 3])
    assert.deepEqual(await list({ page: 2, perPage: 2 }), [['#1'], 3])
    assert.deepEqual(await list({ page: 9, perPage: 2 }), [[], 3])
    const { rows } = await data.listDownloadsOfAsset(assetId, { page: 1, perPage: 3 })
    const after = { id: rows[1]?.id ?? '' }
    assert.deepEqual(await list({ page: 1, perPage: 2, after }), [['#1'], 3])
    const { id, number, name, email, label, reference } = orders[2] ?? assert.fail()
    assert.deepEqual(rows[0]?.order, { id, number, name, email, label, reference })
    assert.deepEqual([rows[0]?.orderId, rows[0]?.filename, rows[0]?.cost], [id, 'a.zip', 1])
    const other = database.of((await anAccount(database, 'other')).id)
    const theirs = await other.listDownloadsOfAsset(assetId, { page: 1, perPage: 3 })
    assert.deepEqual(theirs, { rows: [], total: 0 })
    assert.deepEqual([...(await data.namesOfAssets([assetId, newUuid()]))], [[assetId, 'a.zip']])
    assert.equal((await other.namesOfAssets([assetId])).size, 0)
  })

  test(name('the limit of the account applies to orders without their own'), async (t) => {
    const { data } = await open(t)
    assert.equal(await data.findBranding(), undefined)
    const assetId = await aSoldAsset(data)
    const order = await addOrder(data, { lines: [LINE] })
    await data.changeBranding({ maxDownloads: 1, name: 'Sounds' })
    const branding = await data.changeBranding({ color: '#0b7285' })
    const rest = { logo: null, helpText: null, helpEmail: null }
    assert.deepEqual(branding, { name: 'Sounds', color: '#0b7285', maxDownloads: 1, ...rest })
    assert.deepEqual(await data.findBranding(), branding)
    const opened = await press(data, order.id, assetId)
    assert.ok(opened.outcome === 'open')
    const starts = Array.from({ length: 11 }, () => data.continueDownload(opened.id, true))
    const outcomes = (await Promise.all(starts)).map(({ outcome }) => outcome)
    assert.equal(outcomes.filter((outcome) => outcome === 'limit_reached').length, 1)
  })

  test(
    name('orders are copied with their downloads, and old downloads are forgotten'),
    async (t) => {
      const { database, account, data } = await open(t)
      const assetId = await aSoldAsset(data)
      const order = await addOrder(data, { reference: 'one', lines: [LINE], assetIds: [assetId] })
      await addOrder(data, { lines: [LINE] })
      await press(data, order.id, assetId)
      const records = await database.listOrderRecords(account.id, undefined, 1)
      assert.deepEqual(records[0]?.order, { ...order, downloads: 1 })
      assert.deepEqual(records[0]?.assetIds, [assetId])
      assert.deepEqual(
        records[0]?.files.map(({ used }) => used),
        [1],
      )
      assert.equal((await database.listOrderRecords(account.id, order.id, 10)).length, 1)
      const other = database.of((await anAccount(database, 'other')).id)
      await aSoldAsset(other)
      const { rows: downloads } = await data.listDownloads(order.id, { page: 1, perPage: 10 })
      const copied = { ...order, downloads: 1, id: newUuid(), tokenHash: 'copied' }
      const moved = downloads.map((one) => ({ ...one, id: newUuid(), orderId: copied.id }))
      const files = (records[0]?.files ?? []).map((file) => ({ ...file, downloadId: newUuid() }))
      const imported = { orders: [{ order: copied, assetIds: [assetId], files }], downloads: moved }
      await other.importOrders(imported)
      await other.importOrders(imported)
      const copy = await other.findOrder({ id: null, reference: 'one' })
      const { id, tokenHash, downloads: counted } = copy ?? {}
      assert.deepEqual([id, tokenHash, counted], [copied.id, 'copied', 1])
      assert.equal(copy?.lines.length, 1)
      assert.equal((await other.listDownloads(copied.id, { page: 1, perPage: 10 })).total, 1)
      const counts = await database.listDownloadCounts(account.id, undefined, 2)
      counts.push(...(await database.listDownloadCounts(account.id, counts.at(-1), 10)))
      assert.deepEqual(
        counts.map(({ by, subject, downloads: count }) => [by, subject, count]),
        [
          ['asset', assetId, 1],
          ['day', '', 1],
          ['product', '1', 1],
        ],
      )
      await other.importOrders({ counts, branding: await data.changeBranding({ name: 'Sounds' }) })
      await other.importOrders({ counts })
      const { day = 0 } = counts[0] ?? {}
      const totals = { from: day, to: day, limit: 10 }
      assert.deepEqual(
        await other.readDownloadTotals({ by: 'product', ...totals }),
        await data.readDownloadTotals({ by: 'product', ...totals }),
      )
      assert.equal((await other.findBranding())?.name, 'Sounds')
      assert.equal(await database.forgetDownloadCounts(day, 100), 0)
      assert.equal(await database.forgetDownloadCounts(day + 2, 1), 1)
      assert.ok((await database.forgetDownloadCounts(day + 2, 100)) > 1)
      assert.deepEqual(await data.readDownloadTotals({ by: 'asset', ...totals }), [])
      assert.equal(await database.forgetDownloads(3_600_000, 100), 0)
      assert.equal(await database.forgetDownloads(-3_600_000, 1), 1)
      assert.equal(await database.forgetDownloads(-3_600_000, 100), 1)
      assert.equal(await usedOf(data, order.id, assetId), 1)
    },
  )
}
