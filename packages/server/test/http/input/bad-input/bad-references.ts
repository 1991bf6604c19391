import { API } from '@stowage/testing/service/upload'
import { type ExactRequest, sendExactly } from '../../../support/exact-request.ts'
import {
  type BadRequest,
  type BadRequests,
  invalid,
  malformedRequest,
  notFound,
  type Refusal,
  shorten,
  wrongMethod,
} from '../../../support/refusals.ts'
import type { ShopFixture } from '../../../support/shop-fixture.ts'
import {
  BROKEN_IDS,
  NOT_LISTS,
  NOT_SHOP_ID_TEXTS,
  NOT_SHOP_IDS,
  NOT_TEXT,
  NOWHERE_IDS,
  UNPRINTABLE,
} from './bad-values.ts'

type Row = [body: unknown, refusal: Refusal]

/** Rows that attach and rows that detach with these references. */
function rowsOf({ service, ready }: ShopFixture, rows: Row[]): BadRequest[] {
  return ['attach', 'detach'].flatMap((name) =>
    rows.map(([body, refusal]) => ({
      input: `${name} ${shorten(body)}, for ${refusal.field}`,
      send: () => service.call('POST', `${API}/assets/${ready.id}/${name}`, body),
      refusal,
    })),
  )
}

const SHOP_IDS = ['product_ids', 'variant_ids']
const NOT_UUIDS = [
  ...[null, 5, true, [], {}, '', ' ', 'nonsense', '1', '\0', '\ud800', '../a'],
  ...['01981d2c5a7e7c319d0a6f1b2c3d4e5f', '{01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f}'],
  ...['01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5', '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f\n'],
]

export function badReferences(fixture: ShopFixture): BadRequests {
  return {
    'no references': rowsOf(
      fixture,
      [
        {},
        { product_ids: [] },
        { product_ids: [], variant_ids: [], products: [], skus: [] },
        { ids: [1] },
      ].map(
        (body): Row => [
          body,
          invalid('product_ids', /^product_ids must name at least one product/),
        ],
      ),
    ),
    'references of the wrong shape': rowsOf(fixture, shapeRows()),
    'references to products that do not exist': rowsOf(fixture, unknownRows(fixture)),
    'an asset, product or key that does not exist': unknownResourceRows(fixture),
    'an ID with broken percent-encoding': brokenRows(fixture),
    'a method that the path does not support': methodRows(fixture),
  }
}

function shapeRows(): Row[] {
  const list = /must be an array of at most 1000 IDs/
  const number = /must be a whole number from 0 to 9007199254740991/
  const tooMany = Array.from({ length: 1001 }, (_, index) => index)
  return [
    ...[...SHOP_IDS, 'products'].flatMap((field) =>
      [...NOT_LISTS, tooMany].map((value): Row => [{ [field]: value }, invalid(field, list)]),
    ),
    ...SHOP_IDS.flatMap((field): Row[] => [
      ...NOT_SHOP_IDS.map((id): Row => [{ [field]: [1, id] }, invalid(`${field}.1`, number)]),
      ...NOT_SHOP_ID_TEXTS.map(
        (id): Row => [`{"${field}":[1,${id}]}`, invalid(`${field}.1`, number)],
      ),
    ]),
    ...NOT_UUIDS.map((id): Row => [{ products: [id] }, invalid('products.0', /must be a UUID/)]),
    ...[...NOT_LISTS, tooMany.map(String)].map(
      (value): Row => [{ skus: value }, invalid('skus', /must be an array of at most 1000 SKUs/)],
    ),
    ...[...NOT_TEXT, '', 'a'.repeat(256)].map(
      (sku): Row => [{ skus: ['P-1', sku] }, invalid('skus.1', /must be a string of 1 to 255/)],
    ),
    ...UNPRINTABLE.map(
      (sku): Row => [{ skus: ['P-1', sku] }, invalid('skus.1', /must not have control/)],
    ),
    // One list is valid, the other is not.
    [{ product_ids: [1], products: ['nonsense'] }, invalid('products.0')],
  ]
}

function unknownRows({ products, theirs, ready, service }: ShopFixture): Row[] {
  const known = products.map(({ id }) => id)
  const stranger = service.context.newId()
  const names = (id: string | number) => new RegExp(`unknown values: ${id}\\b`)
  return [
    [{ product_ids: [2, 3, 4] }, invalid('product_ids', names(4))],
    [{ variant_ids: [2, 3, Number.MAX_SAFE_INTEGER] }, invalid('variant_ids', names(2 ** 53 - 1))],
    [{ skus: ['no such SKU'] }, invalid('skus', names('no such SKU'))],
    [{ product_ids: [0] }, invalid('product_ids', names(0))],
    [{ products: [...known, stranger] }, invalid('products', names(stranger))],
    [{ products: [...known, ready.id] }, invalid('products', names(ready.id))],
    [{ product_ids: [2], variant_ids: [2], products: [stranger] }, invalid('products')],
    // A product of another account.
    [{ products: [...known, theirs.productId] }, invalid('products', names(theirs.productId))],
    [{ product_ids: [2, 7] }, invalid('product_ids', names(7))],
    [{ variant_ids: [2, 7] }, invalid('variant_ids', names(7))],
  ]
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Calls on one asset, product or key, with a body that is valid for an existing one. */
function callsOn(kind: 'assets' | 'products' | 'keys', id: string): ExactRequest[] {
  const path = `${API}/${kind}/${id}`
  const references = { headers: JSON_TYPE, body: '{"product_ids":[2]}' }
  const name = { headers: JSON_TYPE, body: '{"filename":"renamed.bin"}' }
  if (kind === 'keys') return [{ method: 'DELETE', path }]
  if (kind === 'products') {
    return [
      { method: 'GET', path },
      { method: 'GET', path: `${path}?with_assets=true` },
      { method: 'DELETE', path },
    ]
  }
  return [
    { method: 'PUT', path, ...name },
    { method: 'DELETE', path },
    { method: 'POST', path: `${path}/attach`, ...references },
    { method: 'POST', path: `${path}/detach`, ...references },
  ]
}

function exactRows(
  { service }: ShopFixture,
  calls: ExactRequest[],
  refusal: Refusal,
): BadRequest[] {
  return calls.map((call) => ({
    input: `${call.method} ${shorten(call.path)}`,
    send: () => sendExactly(service.baseUrl, call),
    refusal,
  }))
}

function unknownResourceRows(fixture: ShopFixture): BadRequest[] {
  const { cancelled, otherAccountsUpload, ready, products, readKey, theirs } = fixture
  const product = products[0]?.id ?? ''
  const strange = {
    assets: [
      cancelled.id,
      otherAccountsUpload.id,
      theirs.linkId,
      product,
      readKey.id,
      ready.id.slice(0, -1),
    ],
    products: [theirs.productId, ready.id, readKey.id, product.slice(1), `${product}0`, '1'],
    keys: [theirs.keyId, ready.id, product, `${readKey.id}%20`, 'stow_'],
  }
  const kinds = ['assets', 'products', 'keys'] as const
  const calls = kinds.flatMap((kind) =>
    [...NOWHERE_IDS, ...strange[kind]].flatMap((id) => callsOn(kind, id)),
  )
  return exactRows(fixture, calls, notFound)
}

function brokenRows(fixture: ShopFixture): BadRequest[] {
  const kinds = ['assets', 'products', 'keys'] as const
  const calls = kinds.flatMap((kind) => BROKEN_IDS.flatMap((id) => callsOn(kind, id)))
  return exactRows(fixture, calls, malformedRequest)
}

function methodRows(fixture: ShopFixture): BadRequest[] {
  const { ready, products, readKey } = fixture
  const asset = `${API}/assets/${ready.id}`
  const table: [path: string, allow: string[], methods: string[]][] = [
    [`${API}/assets/store`, ['POST'], ['PATCH']],
    [`${asset}/attach`, ['POST'], ['GET', 'PUT', 'PATCH', 'DELETE']],
    [`${asset}/detach`, ['POST'], ['GET', 'PUT', 'PATCH', 'DELETE']],
    [`${API}/products`, ['GET', 'PUT'], ['POST', 'PATCH', 'DELETE']],
    [`${API}/products/${products[0]?.id}`, ['GET', 'DELETE'], ['POST', 'PUT', 'PATCH']],
    [`${API}/account`, ['GET'], ['POST', 'PUT', 'PATCH', 'DELETE']],
    [`${API}/keys`, ['GET', 'POST'], ['PUT', 'PATCH', 'DELETE']],
    [`${API}/keys/${readKey.id}`, ['DELETE'], ['GET', 'POST', 'PUT', 'PATCH']],
  ]
  return table.flatMap(([path, allow, methods]) => {
    const calls = methods.map((method) => ({ method, path }))
    return exactRows(fixture, calls, wrongMethod(allow))
  })
}
