import { ENDPOINTS } from '@stowage/protocol'
import { API } from '@stowage/testing/service/upload'
import {
  type BadRequest,
  type BadRequests,
  bodyTooLarge,
  malformedJson,
  notAnObject,
  wrongMediaType,
} from '../../../support/refusals.ts'
import type { ShopFixture } from '../../../support/shop-fixture.ts'
import { type Body, bodyRows, type Call, JSON_TYPE } from './body-rows.ts'

const DEFAULT_LIMIT = 64 * 1024

function limitOf(operationId: string): number {
  const endpoint = ENDPOINTS.find((one) => one.operationId === operationId)
  return endpoint?.bodyLimit ?? DEFAULT_LIMIT
}

/** Endpoints for links, products and keys that accept a body. */
function callsOf({ link, ready }: ShopFixture): Call[] {
  const product = '{"product_id":9,"variant_id":9,"name":"New"}'
  const calls: [operation: string, method: string, path: string, body: string][] = [
    ['storeLink', 'POST', '/assets/store', '{"filename":"a","url":"https://example.com"}'],
    ['changeAsset', 'PUT', `/assets/${link.id}`, '{"filename":"renamed"}'],
    ['attachProducts', 'POST', `/assets/${ready.id}/attach`, '{"product_ids":[2]}'],
    ['detachProducts', 'POST', `/assets/${ready.id}/detach`, '{"product_ids":[1]}'],
    ['putProducts', 'PUT', '/products', `{"products":[${product}]}`],
    ['createKey', 'POST', '/keys', '{"name":"new","scope":"read"}'],
  ]
  return calls.map(([operation, method, path, goodBody]) => ({
    method,
    path: API + path,
    goodBody,
    limit: limitOf(operation),
  }))
}

function rowsOf(fixture: ShopFixture, bodiesOf: (call: Call) => Body[]): BadRequest[] {
  return bodyRows(fixture.service.baseUrl, callsOf(fixture), bodiesOf)
}

const NOT_OBJECTS = ['null', '[]', '[{}]', '"text"', '5', 'true']

const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/octet-stream',
  'application/jsonx',
]

export function badShopBodies(fixture: ShopFixture): BadRequests {
  return {
    'a body that is not JSON': rowsOf(fixture, malformedBodies),
    'JSON that is not an object': rowsOf(fixture, () =>
      NOT_OBJECTS.map((text) => ({ text, refusal: notAnObject })),
    ),
    'a body that is not declared as JSON': rowsOf(fixture, ({ goodBody }) => [
      ...OTHER_TYPES.map((type) => ({
        input: `Content-Type: ${type}`,
        text: goodBody,
        headers: { 'content-type': type },
        refusal: wrongMediaType,
      })),
      { input: 'without Content-Type', text: goodBody, headers: {}, refusal: wrongMediaType },
    ]),
    'a body that is too large': rowsOf(fixture, largeBodies),
  }
}

function malformedBodies({ goodBody }: Call): Body[] {
  const texts = [
    '',
    ' ',
    '{',
    '\0',
    'undefined',
    'filename=a&url=b',
    goodBody.slice(0, -1),
    `${goodBody}}`,
    goodBody.replace(/\}$/, ',}'),
    goodBody.replace(/\}$/, ',"x":"\n"}'),
    goodBody.replace(/\}$/, ',"__proto__":{}}'),
    '['.repeat(30_000),
  ]
  const latin1 = goodBody.replace(/\}$/, ',"x":"\xff"}')
  return [
    ...texts.map((text) => ({ text, refusal: malformedJson })),
    { input: 'JSON in UTF-16', text: Buffer.from(goodBody, 'utf16le'), refusal: malformedJson },
    { input: 'JSON in Latin-1', text: Buffer.from(latin1, 'latin1'), refusal: malformedJson },
  ]
}

function largeBodies({ goodBody, limit }: Call): Body[] {
  const text = goodBody + ' '.repeat(limit + 1 - goodBody.length)
  return [
    { input: 'one byte too long', text, refusal: bodyTooLarge },
    {
      input: 'too long, in chunks',
      text,
      headers: { ...JSON_TYPE, 'transfer-encoding': 'chunked' },
      refusal: bodyTooLarge,
    },
  ]
}
