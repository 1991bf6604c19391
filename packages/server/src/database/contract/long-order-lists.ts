import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import type { Order } from '../../domain/order.ts'
import { orderCursorText, readCursor } from '../../domain/paging.ts'
import { sortName } from '../../domain/search.ts'
import type { AccountData } from '../account-data.ts'
import type { OrderQuery } from '../order-data.ts'
import { anAccount, aProduct, aReadyAsset, type Contract, NOON, select } from './builders.ts'

/** More orders than a request reads from the start of a list. */
const MANY = 9000

const LINE = { productId: 1, variantId: 11, quantity: 1, refunded: 0, product: null }

/** The line of most orders: for one or all variants of product 2, some of them refunded. Its file is that of variant 21. */
function popularLine(index: number) {
  const variantId = index % 7 === 0 ? 22 : index % 2 === 0 ? 21 : null
  return { ...LINE, productId: 2, variantId, refunded: index % 11 === 4 ? 1 : 0 }
}

/** These orders have the popular file themselves. */
function isAttached(index: number): boolean {
  return index % 500 === 0
}

function linesOf(index: number) {
  if (index % 3000 === 5) return [LINE]
  return index % 5 === 0 ? [] : [popularLine(index)]
}

function orderAt(accountId: string, index: number): Order {
  const at = new Date(NOON.getTime() + index * 1000)
  return {
    // In the order of the indexes.
    id: `019c0000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`,
    accountId,
    source: index % 100 === 1 ? 'manual' : 'api',
    reference: `r${index}`,
    number: `#${MANY - index}`,
    email: index === 70 ? 'ada@example.com' : `buyer-${index}@example.com`,
    name: index % 2 === 0 ? 'Ada Lovelace' : 'Grace Hopper',
    locale: null,
    label: null,
    lines: linesOf(index),
    downloads: 0,
    maxDownloads: null,
    expiresAt: index % 50 === 3 ? NOON : null,
    isHeld: index % 200 === 7,
    isInline: false,
    orderedAt: new Date(at.getTime() - (index % 7) * 100_000),
    createdAt: at,
    updatedAt: at,
    revokedAt: index % 40 === 9 ? at : null,
    emailSentAt: null,
    more: null,
    status:
      index % 40 === 9
        ? 'revoked'
        : index % 200 === 7
          ? 'held'
          : index % 50 === 3
            ? 'expired'
            : 'active',
    sealedToken: `sealed:${index}`,
    tokenHash: `${accountId} ${index}`,
  }
}

async function fillOrders(data: AccountData, accountId: string, asset: string): Promise<Order[]> {
  const orders = Array.from({ length: MANY }, (_, index) => orderAt(accountId, index))
  const records = orders.map((order, index) => {
    return { order, assetIds: isAttached(index) ? [asset] : [], files: [] }
  })
  for (let at = 0; at < MANY; at += 1000) {
    await data.importOrders({ orders: records.slice(at, at + 1000) })
  }
  return orders
}

const NEWEST = { by: 'created_at', descending: true } as const
const SORTS = {
  created_at: ({ id }: Order) => id,
  ordered_at: ({ orderedAt, id }: Order) => `${orderedAt.toISOString()} ${id}`,
  order_number: ({ number, id }: Order) => `${sortName(number ?? '')} ${id}`,
}

/** All matches, in the order of the list. */
function listed(orders: Order[], matches: (order: Order) => boolean, { sort }: OrderQuery) {
  const key = SORTS[sort.by]
  const found = orders.filter(matches).map((order) => ({ order, key: key(order) }))
  found.sort((a, b) => (a.key < b.key ? -1 : 1))
  const ids = found.map(({ order }) => order.id)
  return sort.descending ? ids.reverse() : ids
}

export function testLongOrderLists({ name, open }: Contract): void {
  test(name('a list of many orders is as if it was read in full'), async (t) => {
    const { database, account, data } = await open(t, { planStorage: 1000 })
    const ofPopular = [21, 22].map((variantId) => aProduct({ productId: 2, variantId }))
    await data.putProducts([aProduct({ variantId: 11 }), ...ofPopular])
    const asset = await aReadyAsset(data)
    await data.attachProducts(asset, select({ productIds: [1] }))
    const popular = await aReadyAsset(data)
    await data.attachProducts(popular, select({ variantIds: [21] }))
    const other = database.of((await anAccount(database, 'other')).id)
    const [first] = await fillOrders(data, account.id, popular)
    const otherAccount = (await other.listOrders({ page: 1, perPage: 1, sort: NEWEST })).total
    assert.equal(otherAccount, 0)
    assert.ok(first)
    // Changes of the texts and states of orders change what is found.
    await data.changeOrder(orderAt('', 60).id, { email: 'zoe@example.com', isHeld: true })
    await data.revokeOrder(orderAt('', 61).id)
    const orders = Array.from({ length: MANY }, (_, index): Order => {
      const order = orderAt(account.id, index)
      if (index === 60) return { ...order, email: 'zoe@example.com', status: 'held' }
      return index === 61 ? { ...order, status: 'revoked' } : order
    })
    const has = (text: string) => (order: Order) =>
      [order.number, order.reference, order.email, order.name]
        .join(' ')
        .toLowerCase()
        .includes(text)
    const hasProduct = (id: number) => (order: Order) =>
      order.lines.some(({ productId }) => productId === id)
    const attached = new Set(orders.filter((_, index) => isAttached(index)).map(({ id }) => id))
    const coversPopular = ({ id, lines }: Order) =>
      attached.has(id) ||
      lines.some(
        ({ productId, variantId, refunded }) =>
          productId === 2 && variantId !== 22 && refunded === 0,
      )
    const cases: [Partial<OrderQuery>, (order: Order) => boolean][] = [
      [{}, () => true],
      [{ words: ['buyer'] }, has('buyer')],
      [{ words: ['ada lovelace', '#4'] }, (order) => has('#4')(order) && has('ada love')(order)],
      [{ words: ['ada@example'] }, has('ada@example')],
      [{ words: ['zoe'] }, has('zoe')],
      [{ words: ['buyer-60@'] }, () => false],
      [{ words: ['r8'] }, has('r8')],
      [{ words: ['none of them'] }, () => false],
      [{ words: ['zz'] }, () => false],
      [{ number: '#17' }, ({ number }) => number === '#17'],
      [{ number: '#18', words: ['ada'] }, has('#18 ')],
      [{ status: 'active' }, ({ status }) => status === 'active'],
      [{ status: 'held' }, ({ status }) => status === 'held'],
      [{ status: 'revoked' }, ({ status }) => status === 'revoked'],
      [{ status: 'expired' }, ({ status }) => status === 'expired'],
      [{ source: 'manual' }, ({ source }) => source === 'manual'],
      [
        { source: 'api', words: ['grace'] },
        (order) => order.source === 'api' && has('grace')(order),
      ],
      [{ productId: 1 }, hasProduct(1)],
      [{ productId: 2 }, hasProduct(2)],
      [{ asset }, hasProduct(1)],
      [{ asset: popular }, coversPopular],
      [{ asset: popular, words: ['ada'] }, (order) => coversPopular(order) && has('ada')(order)],
      [{ asset: popular, number: '#18' }, (order) => coversPopular(order) && has('#18 ')(order)],
      [{ asset: newUuid() }, () => false],
    ]
    const sorts = [
      NEWEST,
      { by: 'created_at', descending: false },
      { by: 'ordered_at', descending: true },
      { by: 'order_number', descending: false },
    ] as const
    for (const [index, [filter, matches]] of cases.entries()) {
      // The last one in all sort orders, the others in two.
      for (const sort of [NEWEST, sorts[index % sorts.length] ?? NEWEST]) {
        const query: OrderQuery = { page: 1, perPage: 25, sort, ...filter }
        const what = JSON.stringify(query)
        const all = listed(orders, matches, query)
        for (const page of [1, 3, Math.max(1, Math.ceil(all.length / 25)), 1000]) {
          const found = await data.listOrders({ ...query, page })
          const ids = found.rows.map(({ id }) => id)
          assert.deepEqual(ids, all.slice((page - 1) * 25, page * 25), `${what}, page ${page}`)
          const { total, atLeast = total } = found
          assert.ok(atLeast <= all.length && total >= all.length && total <= MANY, what)
        }
        const { total, atLeast } = await data.listOrders({ ...query, exactTotal: true })
        assert.deepEqual([total, atLeast], [all.length, undefined], what)
        const middle = all[Math.floor(all.length / 2)]
        const cursorOrder = orders.find(({ id }) => id === middle)
        if (cursorOrder === undefined) continue
        const after = readCursor(orderCursorText(cursorOrder, sort.by), sort.by)
        assert.ok(after, what)
        const next = await data.listOrders({ ...query, after })
        const from = all.indexOf(cursorOrder.id) + 1
        const ids = next.rows.map(({ id }) => id)
        assert.deepEqual(ids, all.slice(from, from + 25), `${what} after a cursor`)
        assert.ok(next.total >= all.length && (next.atLeast ?? 0) <= all.length, what)
      }
    }
    const bounded = await data.listOrders({ page: 1, perPage: 25, sort: NEWEST, status: 'active' })
    assert.ok(bounded.atLeast !== undefined && bounded.atLeast < bounded.total)
    assert.deepEqual(await database.compareDownloads(10), [])
  })
}
