import assert from 'node:assert/strict'
import { test } from 'node:test'
import { v7 as newUuid } from 'uuid'
import { type GivenProduct, isProvisional, type Product } from '../../domain/product.ts'
import type { AccountData } from '../account-data.ts'
import { aLink, anAccount, aProduct, type Contract, NOON, select } from './builders.ts'

/** A variant as a file of the shop has it. */
function given(handle: string, variantName: string, sku: string): GivenProduct {
  return { id: newUuid(), handle, name: `The ${handle}`, variantName, sku, vendor: '', tags: [] }
}

async function allOf(data: AccountData): Promise<Product[]> {
  const { rows } = await data.listProducts({ page: 1, perPage: 1000 })
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

const FILE = [
  given('pack', 'WAV', 'PACK-WAV'),
  given('pack', 'MP3', 'PACK-MP3'),
  given('book', '', 'BOOK'),
  given('poster', 'A3', ''),
  given('poster', 'A2', ''),
]
/** The same file, read once more. */
const again = () => FILE.map((product) => ({ ...product, id: newUuid() }))

async function anOrderOf(data: AccountData, line: { productId: number; variantId: number | null }) {
  const id = newUuid()
  const added = await data.putOrder({
    id,
    source: 'api',
    reference: id,
    assetIds: [],
    sealedToken: `sealed:${id}`,
    tokenHash: `hash of ${id}`,
    createdAt: NOON,
    lines: [{ ...line, quantity: 1 }],
  })
  assert.equal(added.outcome, 'added')
  return async () => {
    const order = await data.findOrder({ id, reference: id })
    const files = await data.listCoveredFiles(id, 100)
    return {
      lines: order?.lines.map(({ productId, variantId }) => [productId, variantId]),
      files: files.map(({ asset }) => asset.id),
    }
  }
}

/** The contract for products whose IDs in the shop are not known. */
export function testProductIdentity({ name, open }: Contract): void {
  test(
    name('products without IDs get provisional ones, and the same file adds none'),
    async (t) => {
      const { data } = await open(t)
      const first = await data.putProducts(FILE)
      assert.deepEqual(
        first.map(({ id }) => id),
        FILE.map(({ id }) => id),
      )
      for (const { productId, variantId } of first) {
        assert.ok(isProvisional(productId) && isProvisional(variantId))
        assert.ok(Number.isSafeInteger(productId) && Number.isSafeInteger(variantId))
      }
      // The variants of a handle are one product.
      assert.equal(new Set(first.map(({ productId }) => productId)).size, 3)
      assert.equal(new Set(first.map(({ variantId }) => variantId)).size, 5)
      assert.deepEqual(await data.putProducts(again()), first)
      assert.deepEqual(await data.putProducts(again().toReversed()), first.toReversed())
      assert.equal((await allOf(data)).length, 5)
    },
  )

  test(name('concurrent imports of the same file add its products once'), async (t) => {
    const { data } = await open(t)
    await Promise.all([1, 2, 3, 4].map(() => data.putProducts(again())))
    assert.equal((await allOf(data)).length, 5)
  })

  test(name('a product with the shop’s IDs takes the place of the one with its SKU'), async (t) => {
    const { data } = await open(t)
    const [wav, mp3] = await data.putProducts(FILE)
    assert.ok(wav && mp3)
    const asset = await aLink(data)
    await data.attachProducts(asset, select({ ids: [wav.id] }))
    await data.arrangeFiles(wav.productId, [asset])
    const ofVariant = await anOrderOf(data, wav)
    const ofAll = await anOrderOf(data, { productId: wav.productId, variantId: null })
    const real = aProduct({ productId: 7, variantId: 71, sku: 'PACK-WAV', name: 'Pack' })
    const [adopted] = await data.putProducts([real])
    assert.deepEqual(adopted, { ...real, id: wav.id })
    // The shop's ID of the product holds for its other variants.
    assert.partialDeepStrictEqual(await data.findProduct(mp3.id), {
      productId: 7,
      variantId: mp3.variantId,
    })
    assert.deepEqual(await data.readFileOrder(7), [asset])
    assert.deepEqual(await data.readFileOrder(wav.productId), [])
    assert.deepEqual(await ofVariant(), { lines: [[7, 71]], files: [asset] })
    assert.deepEqual(await ofAll(), { lines: [[7, null]], files: [asset] })
    const { events } = await data.listEvents({ after: 0, limit: 100 })
    const changed = events.flatMap((event) =>
      event.type === 'product.updated' && event.data.productId === 7 ? [event.data.id] : [],
    )
    assert.deepEqual(new Set(changed), new Set([wav.id, mp3.id]))
    assert.equal((await allOf(data)).length, 5)
    // The file finds them again, with their IDs, and repeating the call changes nothing.
    const [readAgain] = await data.putProducts(again())
    assert.partialDeepStrictEqual(readAgain, { id: wav.id, productId: 7, variantId: 71 })
    await data.putProducts([real])
    assert.equal((await allOf(data)).length, 5)
  })

  test(name('all variants of a product get the shop’s IDs in one call'), async (t) => {
    const { data } = await open(t)
    const [wav, mp3, , a3, a2] = await data.putProducts(FILE)
    assert.ok(wav && mp3 && a3 && a2)
    const ofMp3 = await anOrderOf(data, mp3)
    const real = [
      aProduct({ productId: 7, variantId: 71, sku: 'PACK-WAV' }),
      aProduct({ productId: 7, variantId: 72, sku: 'PACK-MP3' }),
      // Without a SKU, the handle and the name of the variant decide.
      {
        ...aProduct({ productId: 9, variantId: 91, sku: '', variantName: 'A3' }),
        handle: 'poster',
      },
      {
        ...aProduct({ productId: 9, variantId: 92, sku: '', variantName: 'A2' }),
        handle: 'poster',
      },
    ]
    const stored = await data.putProducts(real)
    assert.deepEqual(
      stored.map(({ id, productId, variantId }) => [id, productId, variantId]),
      [
        [wav.id, 7, 71],
        [mp3.id, 7, 72],
        [a3.id, 9, 91],
        [a2.id, 9, 92],
      ],
    )
    assert.deepEqual((await ofMp3()).lines, [[7, 72]])
    assert.equal((await allOf(data)).length, 5)
  })

  test(
    name('of concurrent calls with the shop’s IDs, one takes the place of the product'),
    async (t) => {
      const { data } = await open(t)
      const [wav] = await data.putProducts(FILE)
      assert.ok(wav)
      await Promise.all(
        [1, 2, 3].map(() =>
          data.putProducts([aProduct({ productId: 7, variantId: 71, sku: 'PACK-WAV' })]),
        ),
      )
      assert.partialDeepStrictEqual(await data.findProduct(wav.id), { variantId: 71 })
      assert.equal((await allOf(data)).length, 5)
    },
  )

  test(name('a file finds products with the shop’s IDs by their SKU'), async (t) => {
    const { data } = await open(t)
    const real = aProduct({ productId: 7, variantId: 71, sku: 'PACK-WAV' })
    await data.putProducts([real])
    const [wav, mp3] = await data.putProducts(again())
    assert.partialDeepStrictEqual(wav, { id: real.id, productId: 7, variantId: 71 })
    // A variant that the service does not know yet belongs to the same product.
    assert.equal(mp3?.productId, 7)
    assert.ok(isProvisional(mp3.variantId))
  })

  test(name('a product with another handle keeps its SKU and its place'), async (t) => {
    const { data } = await open(t)
    const first = await data.putProducts(FILE)
    const renamed = FILE.map((product) => ({
      ...product,
      id: newUuid(),
      handle: product.handle === 'pack' ? 'sample-pack' : product.handle,
    }))
    const second = await data.putProducts(renamed as GivenProduct[])
    assert.deepEqual(second, first)
    // Another product gets the old handle.
    const [other] = await data.putProducts([given('pack', 'WAV', 'OTHER')])
    assert.notEqual(other?.id, first[0]?.id)
    assert.notEqual(other?.productId, first[0]?.productId)
    assert.notEqual(other?.variantId, first[0]?.variantId)
  })

  test(name('variants that have swapped their names are found by their SKUs'), async (t) => {
    const { data } = await open(t)
    const [wav, mp3] = await data.putProducts(FILE)
    for (const times of [1, 2]) {
      const swapped = [given('pack', 'MP3', 'PACK-WAV'), given('pack', 'WAV', 'PACK-MP3')]
      const stored = await data.putProducts(swapped)
      assert.deepEqual([stored[0]?.id, stored[1]?.id], [wav?.id, mp3?.id], `${times}`)
    }
    assert.equal((await allOf(data)).length, 5)
  })

  test(name('a SKU that several products have identifies none of them'), async (t) => {
    const { data } = await open(t)
    const file = () =>
      ['shirt', 'hat'].map((handle) => ({
        ...given(handle, 'Red', 'SAME'),
        matchBy: 'handle' as const,
      }))
    const first = await data.putProducts(file())
    assert.notEqual(first[0]?.id, first[1]?.id)
    assert.deepEqual(await data.putProducts(file().toReversed()), first.toReversed())
    // A product with IDs takes the place of neither.
    const [real] = await data.putProducts([aProduct({ productId: 7, variantId: 71, sku: 'SAME' })])
    assert.ok(real && !first.some(({ id }) => id === real.id))
    assert.equal((await allOf(data)).length, 3)
  })

  test(name('the products of other accounts are not found'), async (t) => {
    const { database, data } = await open(t)
    const other = database.of((await anAccount(database, 'another account')).id)
    const [own] = await data.putProducts(FILE)
    const theirs = await other.putProducts(again())
    assert.notEqual(theirs[0]?.id, own?.id)
    await other.putProducts([aProduct({ productId: 7, variantId: 71, sku: 'PACK-WAV' })])
    assert.ok(isProvisional((await data.findProduct(own?.id ?? ''))?.variantId ?? 0))
    const handles = await data.handlesOfProducts([own?.id ?? '', theirs[0]?.id ?? ''])
    assert.deepEqual(handles, [{ id: own?.id, handle: 'pack' }])
  })

  test(name('a copy of the products with their handles is found by the same file'), async (t) => {
    const { database, data } = await open(t)
    const first = await data.putProducts(FILE)
    const copy = database.of((await anAccount(database, 'copy')).id)
    const handles = new Map(
      (await data.handlesOfProducts(first.map(({ id }) => id))).map((row) => [row.id, row.handle]),
    )
    const copies = first.map((product) => ({
      ...product,
      id: newUuid(),
      handle: handles.get(product.id) ?? '',
    }))
    const copied = await copy.putProducts(copies, { isCopy: true })
    assert.deepEqual(await copy.putProducts(again()), copied)
    assert.deepEqual(
      copied.map(({ variantId }) => variantId),
      first.map(({ variantId }) => variantId),
    )
  })
}
