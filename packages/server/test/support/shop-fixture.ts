import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Asset, Key, Product } from '@stowage/protocol'
import type { TestService } from '@stowage/testing/service/service'
import { attach, productsFrom, putProducts, storeLink } from '@stowage/testing/service/shop'
import { API } from '@stowage/testing/service/upload'
import { readProductDetails } from '../../src/http/routes/products.ts'
import { storeLink as storeTheirs } from '../../src/operations/assets.ts'
import { forAccount } from '../../src/operations/context.ts'
import { createKey } from '../../src/operations/keys.ts'
import { putProducts as putTheirs } from '../../src/operations/products.ts'
import { anUploadFixture, type UploadFixture } from './upload-fixture.ts'

/** The upload fixture, with a link, products and keys that a bad request could damage. */
export interface ShopFixture extends UploadFixture {
  link: Asset
  /** The shop's IDs are 1 to 3. `ready` and `link` are attached to the first product. */
  products: Product[]
  readKey: Key
  /** The only key with this scope. */
  manageKey: Key
  /** Resources of another account. */
  theirs: { linkId: string; productId: string; keyId: string }
}

export async function aShopFixture(t: TestContext): Promise<ShopFixture> {
  const fixture = await anUploadFixture(t)
  const { service, ready } = fixture
  const products = await putProducts(service, productsFrom(1, 3))
  const link = await storeLink(service, { size: 5 })
  for (const { id } of [ready, link]) {
    assert.equal((await attach(service, id, { product_ids: [1] })).status, 201)
  }
  return {
    ...fixture,
    link,
    products,
    readKey: await aKey(service, 'read'),
    manageKey: await aKey(service, 'manage'),
    theirs: await resourcesOfAnotherAccount(service),
  }
}

async function aKey({ call }: TestService, scope: string): Promise<Key> {
  const response = await call('POST', `${API}/keys`, { name: `the ${scope} key`, scope })
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body.data
}

async function resourcesOfAnotherAccount({ context }: TestService): Promise<ShopFixture['theirs']> {
  const account = await context.database.findAccount('another account')
  assert.ok(account)
  const own = forAccount(context, account.id)
  const link = await storeTheirs(own, { filename: 'theirs', url: 'https://example.com/theirs' })
  const [product] = await putTheirs(own, [
    readProductDetails({ product_id: 7, variant_id: 7, name: 'Theirs' }),
  ])
  const { key } = await createKey(own, { name: 'theirs', scope: 'read' })
  return { linkId: link.asset.id, productId: product?.id ?? '', keyId: key.id }
}

/** The assets, products, attachments and keys of every account. A refused request must not change them. */
export async function readShopState({ database }: TestService['context']) {
  const page = { page: 1, perPage: 1000 }
  return Promise.all(
    (await database.listAccounts()).map(async ({ id }) => {
      const data = database.of(id)
      const sort = { by: 'created_at', descending: false } as const
      const assets = (await data.listAssets({ ...page, sort })).rows
      return {
        assets,
        products: await data.listProducts(page),
        attachments: await data.productsOfAssets(
          assets.map((asset) => asset.id),
          100_000,
        ),
        keys: await data.listKeys(),
      }
    }),
  )
}
