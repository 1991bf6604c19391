import {
  type BadRequest,
  type BadRequests,
  invalid,
  notFound,
  type Refusal,
  shorten,
} from '../../../support/refusals.ts'
import type { ShopFixture } from '../../../support/shop-fixture.ts'
import { TOKENS } from '../../../support/upload-tokens.ts'
import { NOT_LISTS, NOT_TEXT } from './bad-values.ts'

const NOT_COUNTS = [null, '5', true, [], {}, -1, 1.5, 2 ** 53, 1e300]
const NOT_PATTERNS = [
  '',
  '*',
  'image',
  'image/',
  '/png',
  '*/png',
  '*/*',
  'image/p*',
  'a/b; c=d',
  'a/b\n',
]
const NOT_ORIGINS = [
  ...['', 'null', '*', 'shop.example', 'file:///a', 'ftp://a.example', 'javascript:0', 'https://'],
  ...['https://a.example/x', 'https://a.example/?', 'https://a.example#b', 'https://u:p@a.example'],
]
const NOT_LIFETIMES = [
  ...[null, true, [], {}, 0, -1, 1.5, 86_401],
  ...['', '0s', '25h', '86401s', '2d', '1', '1w', 'PT1H', '-1h', '1.5h', '9'.repeat(40)],
]

export function badUploadTokens(fixture: ShopFixture): BadRequests {
  const { service, theirs } = fixture
  const rowsOf = (rows: [body: object, refusal: Refusal][]): BadRequest[] =>
    rows.map(([body, refusal]) => ({
      input: `${shorten(body)}, for ${refusal.field}`,
      send: () => service.call('POST', TOKENS, { max_bytes: 10, ...body }),
      refusal,
    }))
  const valuesOf = (field: string, values: unknown[], message?: RegExp) =>
    rowsOf(values.map((value) => [{ [field]: value }, invalid(field, message)]))
  return {
    'an upload token without a limit': [
      {
        input: '{}',
        send: () => service.call('POST', TOKENS, {}),
        refusal: invalid('max_bytes', /^max_bytes is required/),
      },
    ],
    'an invalid number of bytes or files': [
      ...valuesOf('max_bytes', NOT_COUNTS),
      ...valuesOf('max_files', [...NOT_COUNTS, 0, 1001]),
    ],
    'invalid media types': [
      ...valuesOf('mime', [...NOT_LISTS, [], Array(51).fill('image/*')]),
      ...rowsOf([...NOT_TEXT, ...NOT_PATTERNS].map((one) => [{ mime: [one] }, invalid('mime.0')])),
    ],
    'an invalid origin': valuesOf('origin', [...NOT_TEXT, ...NOT_ORIGINS]),
    'an invalid lifetime': valuesOf(
      'expires_in',
      NOT_LIFETIMES,
      /^expires_in must be a whole number/,
    ),
    'products or a file that cannot be used': rowsOf([
      [{ attach: [] }, invalid('attach')],
      [{ attach: {} }, invalid('attach', /^attach must name at least one product/)],
      [{ attach: { product_ids: [] } }, invalid('attach')],
      [{ attach: { product_ids: [9] } }, invalid('attach.product_ids')],
      [{ attach: { products: [theirs.productId] } }, invalid('attach.products')],
      [{ attach: { product_ids: [1] }, replace: fixture.ready.id }, invalid('attach')],
      [{ replace: 'x' }, invalid('replace')],
      [{ replace: theirs.linkId }, notFound],
    ]),
  }
}
