import { API } from '@stowage/testing/service/upload'
import { sendExactly } from '../../../support/exact-request.ts'
import {
  type BadRequest,
  type BadRequests,
  invalid,
  malformedRequest,
  type Refusal,
  shorten,
} from '../../../support/refusals.ts'
import type { ShopFixture } from '../../../support/shop-fixture.ts'
import {
  BROKEN_QUERIES,
  NOT_BOOLEANS,
  NOT_SHOP_ID_QUERIES,
  TOO_LONG_QUERIES,
  UNPRINTABLE_QUERIES,
} from './bad-values.ts'

type Row = [query: string, refusal: Refusal]

function rowsOf({ service }: ShopFixture, path: string, rows: Row[]): BadRequest[] {
  return rows.map(([query, refusal]) => ({
    input: shorten(query),
    send: () => sendExactly(service.baseUrl, { method: 'GET', path: `${path}?${query}` }),
    refusal,
  }))
}

const NOT_SORTS = [
  ...['', '-', 'name', 'size', 'id', 'url', 'status', 'search_name', 'account_id', 'CREATED_AT'],
  ...['--created_at', '%2Bcreated_at', '-%20bytes', 'created_at%20', 'created_at,bytes'],
  ...['created_at%20desc', 'bytes;drop%20table%20assets', 'filename%00', '1', 'toString'],
]
const NOT_TYPES = ['', 'folder', 'File', 'LINK', 'file,link', 'file%20', 'url', '1', 'constructor']

/** Invalid values, and the parameter twice. */
function valueRows(field: string, values: string[], message: RegExp, good: string): Row[] {
  return [
    ...values.map((value): Row => [`${field}=${value}`, invalid(field, message)]),
    [`${field}=${good}&${field}=${good}`, invalid(field)],
    [`limit=5&${field}=${good}&page=1&${field}=`, invalid(field)],
  ]
}

const SHOP_ID = /must be a whole number from 0 to 9007199254740991/
const BOOLEAN = /must be true, false, 1 or 0/

function textRows(field: string): Row[] {
  return [
    ...TOO_LONG_QUERIES.map(
      (value): Row => [
        `${field}=${value}`,
        invalid(field, /must be a string of at most 255 characters/),
      ],
    ),
    ...UNPRINTABLE_QUERIES.map(
      (value): Row => [`${field}=${value}`, invalid(field, /must not have control characters/)],
    ),
    ...BROKEN_QUERIES.map((value): Row => [`${field}=${value}`, malformedRequest]),
    [`${field}=a&${field}=b`, invalid(field)],
  ]
}

export function badShopQueries(fixture: ShopFixture): BadRequests {
  const assets = `${API}/assets`
  const products = `${API}/products`
  const product = `${products}/${fixture.products[0]?.id}`
  const sorts = 'created_at, -created_at, filename, -filename, bytes, -bytes'
  const counts = ['0', '-1', '1.5', 'abc', '', '9'.repeat(400)]
  const withAssets = valueRows('with_assets', NOT_BOOLEANS, BOOLEAN, 'true')
  return {
    'an unknown sort order': rowsOf(
      fixture,
      assets,
      valueRows('sort', NOT_SORTS, new RegExp(`^sort must be one of ${sorts}`), 'bytes'),
    ),
    'an unknown type': rowsOf(
      fixture,
      assets,
      valueRows('type', NOT_TYPES, /^type must be file or link/, 'file'),
    ),
    'attached that is not a boolean': rowsOf(
      fixture,
      assets,
      valueRows('attached', NOT_BOOLEANS, BOOLEAN, 'true'),
    ),
    'an SKU that no product can have': rowsOf(fixture, assets, textRows('sku')),
    'an invalid shop ID': [
      ...rowsOf(fixture, assets, valueRows('product_id', NOT_SHOP_ID_QUERIES, SHOP_ID, '1')),
      ...['product_id', 'variant_id'].flatMap((field) =>
        rowsOf(fixture, products, valueRows(field, NOT_SHOP_ID_QUERIES, SHOP_ID, '1')),
      ),
    ],
    'a text that no product can have': ['name', 'sku', 'vendor', 'tag'].flatMap((field) =>
      rowsOf(fixture, products, textRows(field)),
    ),
    'a limit or page of products that is not a positive integer': ['limit', 'page'].flatMap(
      (field) =>
        rowsOf(
          fixture,
          products,
          valueRows(field, counts, /must be a whole number of 1 or more/, '1'),
        ),
    ),
    'with_assets that is not a boolean': [
      ...rowsOf(fixture, products, withAssets),
      ...rowsOf(fixture, product, withAssets),
    ],
    'several invalid parameters': rowsOf(fixture, assets, [
      ['sort=x&type=folder&attached=maybe&product_id=-1', invalid('sort')],
      ['sort=x&type=folder&attached=maybe&product_id=-1', invalid('type')],
      ['sort=x&type=folder&attached=maybe&product_id=-1', invalid('attached')],
      ['sort=x&type=folder&attached=maybe&product_id=-1', invalid('product_id')],
    ]),
  }
}
