import { API } from '@stowage/testing/service/upload'
import {
  type BadRequest,
  type BadRequests,
  invalid,
  type Refusal,
  shorten,
} from '../../../support/refusals.ts'
import type { ShopFixture } from '../../../support/shop-fixture.ts'
import { withinASecond } from '../../../support/within-a-second.ts'
import {
  NOT_LISTS,
  NOT_SHOP_ID_TEXTS,
  NOT_SHOP_IDS,
  NOT_TEXT,
  TOO_LONG,
  UNPRINTABLE,
} from './bad-values.ts'

const PATH = `${API}/products`
const PRODUCT = { product_id: 9, variant_id: 9, name: 'New', tags: ['a'] }

type Row = [body: unknown, refusal: Refusal, input?: string]

function rowsOf({ service }: ShopFixture, rows: Row[]): BadRequest[] {
  return rows.map(([body, refusal, input = shorten(body)]) => ({
    input: `${input}, for ${refusal.field}`,
    send: () => service.call('PUT', PATH, body),
    refusal,
  }))
}

/** Puts the product between two valid ones, which must not be stored either. */
function amongGood(product: unknown, refusal: Refusal, input = shorten(product)): Row {
  const others = [1, 2].map((id) => ({ ...PRODUCT, product_id: id, variant_id: id, name: 'Other' }))
  return [{ products: [others[0], product, others[1]] }, refusal, input]
}

/** A product with one invalid field. */
function fieldRow(field: string, value: unknown, message: RegExp, at = field): Row {
  const input = shorten({ [field]: value })
  return amongGood({ ...PRODUCT, [field]: value }, invalid(`products.1.${at}`, message), input)
}

export function badProducts(fixture: ShopFixture): BadRequests {
  const noProduct = invalid('products.1', /^products\.1 must be an object with product_id/)
  return {
    'an invalid list of products': rowsOf(fixture, listRows()),
    'an invalid product': rowsOf(
      fixture,
      [null, 5, 'a', true, [], [PRODUCT]].map((product) => amongGood(product, noProduct)),
    ),
    'invalid shop IDs': rowsOf(fixture, ['product_id', 'variant_id'].flatMap(idRows)),
    'invalid texts': rowsOf(fixture, textRows()),
    'invalid tags': [...rowsOf(fixture, tagRows()), endlessTags(fixture)],
    'the same product twice': rowsOf(fixture, duplicateRows()),
  }
}

function listRows(): Row[] {
  const tooMany = Array.from({ length: 1001 }, (_, index) => ({ ...PRODUCT, variant_id: index }))
  const missing = invalid('products', /^products is required/)
  const refusal = invalid('products', /^products must be an array of 1 to 1000 products/)
  return [
    [{}, missing],
    [PRODUCT, missing],
    ...NOT_LISTS.map((products): Row => [{ products }, refusal]),
    [{ products: [] }, refusal],
    [{ products: tooMany }, refusal, '1,001 products'],
    [{ products: Array.from({ length: 100_000 }, () => 0) }, refusal, '100,000 numbers'],
  ]
}

function idRows(field: string): Row[] {
  const message = /must be a whole number from 0 to 9007199254740991/
  return [
    fieldRow(field, undefined, /^products\.1\.\w+ is required/),
    ...NOT_SHOP_IDS.map((value) => fieldRow(field, value, message)),
    ...NOT_SHOP_ID_TEXTS.map((value): Row => {
      const body = JSON.stringify({ products: [PRODUCT] })
      const text = body.replace(`"${field}":9`, `"${field}":${value}`)
      return [text, invalid(`products.0.${field}`, message)]
    }),
  ]
}

function textRows(): Row[] {
  return [
    fieldRow('name', undefined, /^products\.1\.name is required/),
    fieldRow('name', '', /must be a string of 1 to 255 characters/),
    ...['name', 'variant_name', 'sku', 'vendor'].flatMap((field) => [
      ...[...NOT_TEXT, ...TOO_LONG].map((value) =>
        fieldRow(field, value, /must be a string of [01] to 255 characters/),
      ),
      ...UNPRINTABLE.map((value) => fieldRow(field, value, /must not have control characters/)),
    ]),
  ]
}

function tagRows(): Row[] {
  const list = /must be an array of at most 250 strings of 1 to 255 characters/
  const text = /must be a string of 1 to 255 characters/
  const control = /must not have control characters/
  const tooMany = Array.from({ length: 251 }, (_, index) => `tag ${index}`)
  return [
    ...NOT_LISTS.map((tags) => fieldRow('tags', tags, list)),
    fieldRow('tags', tooMany, list),
    ...[null, 5, true, [], {}, '', ...TOO_LONG].map((tag) =>
      fieldRow('tags', ['fine', tag], text, 'tags.1'),
    ),
    ...UNPRINTABLE.map((tag) => fieldRow('tags', ['fine', tag, 'fine too'], control, 'tags.1')),
    // Each tag has one half of a surrogate pair.
    fieldRow('tags', ['\ud83d', '\ude00'], control, 'tags.0'),
    fieldRow('tags', ['a\ud83d', '\ude00b'], control, 'tags.0'),
  ]
}

/** The check must be fast, because it blocks all other requests. */
function endlessTags({ service }: ShopFixture): BadRequest {
  const tags = `${'"a",'.repeat(1_500_000)}"a"`
  const body = `{"products":[{"product_id":9,"variant_id":9,"name":"New","tags":[${tags}]}]}`
  return {
    input: 'one and a half million tags, in less than a second',
    send: () => withinASecond(() => service.call('PUT', PATH, body)),
    refusal: invalid('products.0.tags'),
  }
}

/** The duplicates include different notations of the same number. */
function duplicateRows(): Row[] {
  const other = { ...PRODUCT, variant_id: 10 }
  const third = invalid('products.2', /^products\.2 is the same product and variant as products\.0/)
  const second = invalid('products.1', /^products\.1 is the same product and variant/)
  const twice = (one: string, again: string): Row => {
    const products = [one, again].map((id) => `{"product_id":${id},"variant_id":9,"name":"a"}`)
    return [`{"products":[${products}]}`, second, `product_id ${one} and ${again}`]
  }
  return [
    [{ products: [PRODUCT, other, PRODUCT] }, third, 'identical'],
    [{ products: [PRODUCT, other, { ...PRODUCT, name: 'b' }] }, third, 'with another name'],
    twice('0', '-0'),
    twice('9', '9.0'),
    twice('90', '9e1'),
  ]
}
