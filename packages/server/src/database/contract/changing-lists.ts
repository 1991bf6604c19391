import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountData, Rows } from '../account-data.ts'
import { aLink, aProduct, type Contract } from './builders.ts'
import { fillLongList } from './long-lists.ts'

const ROUNDS = 15
/** So many rows that the last page is not found by skipping rows one by one. */
const MANY = 3005
const PER_PAGE = 1000
const FAR = { page: 4, perPage: PER_PAGE }
const BY_NAME = { by: 'filename', descending: false } as const

/** The contract for lists that are read while other clients add and remove rows: a page matches its total. */
export function testChangingLists({ name, open }: Contract): void {
  test(name('a page of products and its total match while products change'), async (t) => {
    const { data } = await open(t)
    for (let start = 1; start <= MANY; start += PER_PAGE) {
      const length = Math.min(PER_PAGE, MANY + 1 - start)
      const some = Array.from({ length }, (_, index) => start + index)
      await data.putProducts(some.map((id) => aProduct({ productId: id, variantId: id, sku: '' })))
    }
    const few = Array.from({ length: 5 }, (_, id) => aProduct({ productId: id, variantId: id }))
    await data.putProducts(few)
    const change = async (client: number) => {
      const id = 10_000 + client
      const [product] = await data.putProducts([aProduct({ productId: id, variantId: id })])
      await data.deleteProduct(product?.id ?? '')
    }
    const first = { page: 1, perPage: 10, sku: aProduct().sku }
    await whileChanging(change, async () => {
      await checkPages(() => data.listProducts(first), 0)
      await checkPages(() => data.listProductIds(first), 0)
      await checkPages(() => data.listProducts(FAR), 3 * PER_PAGE)
      await checkPages(() => data.listProductIds(FAR), 3 * PER_PAGE)
    })
  })

  test(name('a page of assets and its total match while assets change'), async (t) => {
    const { account, data } = await open(t, { planStorage: 1_000_000 })
    await fillLongList(data, account.id, MANY)
    await data.putProducts([aProduct()])
    for (let index = 0; index < 5; index += 1) await attach(data, await aLink(data))
    const change = async () => {
      const id = await aLink(data, { filename: 'a first name' })
      await attach(data, id)
      await data.deleteAsset(id)
    }
    const first = { page: 1, perPage: 10, sort: BY_NAME, sku: aProduct().sku }
    await whileChanging(change, async () => {
      await checkPages(() => data.listAssets(first), 0)
      await checkPages(() => data.listAssets({ ...FAR, sort: BY_NAME }), 3 * PER_PAGE)
    })
  })
}

/** Checks in every round that the page has every row from `offset` on. */
async function checkPages(list: () => Promise<Rows<unknown>>, offset: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { rows, total } = await list()
    assert.equal(rows.length, total - offset)
  }
}

/** Does the work while two clients repeat the change. */
async function whileChanging(
  change: (client: number) => Promise<void>,
  work: () => Promise<void>,
): Promise<void> {
  let isOver = false
  const keep = async (client: number) => {
    while (!isOver) await change(client)
  }
  const changing = [keep(0), keep(1)]
  try {
    await work()
  } finally {
    isOver = true
    await Promise.all(changing)
  }
}

async function attach(data: AccountData, id: string): Promise<void> {
  const none = { ids: [], variantIds: [], skus: [] }
  await data.attachProducts(id, { ...none, productIds: [aProduct().productId] })
}
