import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Asset, Key, Product } from '@stowage/protocol'
import type { TestService } from '@stowage/testing/service/service'
import { API } from '@stowage/testing/service/upload'
import { readProductDetails } from '../../src/http/requests/read-product-details.ts'
import { storeLink as storeTheirs } from '../../src/operations/assets/store-link.ts'
import { forAccount } from '../../src/operations/context.ts'
import { createKey } from '../../src/operations/keys/create-key.ts'
import { putProducts as putTheirs } from '../../src/operations/products/put-products.ts'
import { attach, productsFrom, putProducts, storeLink } from './shop.ts'
import { aScene, type Scene } from './upload-fixture.ts'

/** The scene, and beside it whatever a shop has that a bad request could damage. */
export interface ShopScene extends Scene {
  link: Asset
  /** With the shop's ids 1 to 3; the first is linked to `ready` and to `link`. */
  products: Product[]
  readKey: Key
  /** The only one of its scope. */
  manageKey: Key
  /** What is another account's, under the same shop ids. */
  theirs: { linkId: string; productId: string; keyId: string }
}

export async function aShopScene(t: TestContext): Promise<ShopScene> {
  const scene = await aScene(t)
  const { service, ready } = scene
  const products = await putProducts(service, productsFrom(1, 3))
  const link = await storeLink(service, { size: 5 })
  for (const { id } of [ready, link]) {
    assert.equal((await attach(service, id, { product_ids: [1] })).status, 201)
  }
  return {
    ...scene,
    link,
    products,
    readKey: await aKey(service, 'read'),
    manageKey: await aKey(service, 'manage'),
    theirs: await whatIsTheirs(service),
  }
}

async function aKey({ call }: TestService, scope: string): Promise<Key> {
  const answer = await call('POST', `${API}/keys`, { name: `the ${scope} key`, scope })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body.data
}

async function whatIsTheirs({ context }: TestService): Promise<ShopScene['theirs']> {
  const account = await context.database.findAccount('somebody else')
  assert.ok(account)
  const own = forAccount(context, account.id)
  const link = await storeTheirs(own, { filename: 'theirs', url: 'https://example.com/theirs' })
  const [product] = await putTheirs(own, [
    readProductDetails({ product_id: 7, variant_id: 7, name: 'Theirs' }),
  ])
  const { key } = await createKey(own, { name: 'theirs', scope: 'read' })
  return { linkId: link.id, productId: product?.id ?? '', keyId: key.id }
}

/** Everything of every account that a refused request must leave as it was. */
export async function readShop({ database }: TestService['context']) {
  const page = { page: 1, perPage: 1000 }
  return Promise.all(
    (await database.listAccounts()).map(async ({ id }) => {
      const data = database.of(id)
      const sort = { by: 'created_at', descending: false } as const
      const assets = (await data.listAssets({ ...page, sort })).rows
      return {
        assets,
        products: await data.listProducts(page),
        links: await data.productsOfAssets(
          assets.map((asset) => asset.id),
          100_000,
        ),
        keys: await data.listKeys(),
      }
    }),
  )
}
