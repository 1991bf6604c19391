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
import type { UploadFixture } from '../../../support/upload-fixture.ts'
import { BAD_PATHS } from './bad-values.ts'

function rowsOf(fixture: UploadFixture, path: string, rows: [string, Refusal][]): BadRequest[] {
  return rows.map(([query, refusal]) => ({
    input: shorten(query),
    send: () => sendExactly(fixture.service.baseUrl, { method: 'GET', path: `${path}?${query}` }),
    refusal,
  }))
}

const NOT_COUNTS = [
  '',
  '%20',
  '0',
  '00',
  '-0',
  '-1',
  '1.5',
  '1.0',
  '1e3',
  '0x10',
  '1_000',
  '%2B1',
  '1%20',
  '%201',
  'abc',
  'null',
  'NaN',
  'Infinity',
  '1,2',
  '1;2',
  '%00',
  '1%00',
  '1%0a',
  '%D9%A3',
  '9'.repeat(1000),
  '-9007199254740993',
]

const NOT_BOOLEANS = [
  '',
  '%20',
  'yes',
  'no',
  'TRU',
  'null',
  '2',
  '-1',
  '01',
  '1.0',
  'true%20',
  'true%00',
  'toString',
  '__proto__',
  'constructor',
]

const COUNT_ROWS: [string, Refusal][] = [
  ...['limit', 'page'].flatMap((name): [string, Refusal][] => [
    ...NOT_COUNTS.map((value): [string, Refusal] => [`${name}=${value}`, invalid(name)]),
    [name, invalid(name)],
    [`${name}=1&${name}=2`, invalid(name)],
    [`${name}=1&${name}=1`, invalid(name)],
    [`${name}=1&x=2&${name}=`, invalid(name)],
  ]),
  ['limit=0&page=1', invalid('limit')],
  ['limit=1&page=0', invalid('page')],
  ['limit=x&page=x&with_products=x', invalid('with_products')],
]

const BOOLEAN_ROWS = [
  ...NOT_BOOLEANS.map((value) => `with_products=${value}`),
  'with_products',
  'with_products=true&with_products=false',
  'with_products=1&with_products=1',
].map((query): [string, Refusal] => [query, invalid('with_products')])

const FILTER_ROWS = [
  'a'.repeat(256),
  'a'.repeat(1000),
  '%F0%9F%98%80'.repeat(256),
  '%00',
  'a%00b',
  'a%0ab',
  'a%0d%0aX-Evil:%201',
  '%1b',
  '%7f',
  '%C2%85',
  'a&filename=b',
  'a&filename=',
].map((filter): [string, Refusal] => [`filename=${filter}`, invalid('filename')])

const PATH_ROWS = [...BAD_PATHS, 'a//', '//'].map((path): [string, Refusal] => [
  `path=${encodeURIComponent(path)}`,
  invalid('path'),
])

/** Without an error, the filter would search for another text than the caller meant. */
const BROKEN_ROWS = ['%', '%zz', '%2', '%ff', '%c3%28', '%ed%a0%80', 'a%'].map(
  (filter): [string, Refusal] => [`filename=${filter}`, malformedRequest],
)

export function badQueries(fixture: UploadFixture): BadRequests {
  const list = `${API}/assets`
  return {
    'a limit or page that is not a positive integer': rowsOf(fixture, list, COUNT_ROWS),
    'with_products that is not a boolean': rowsOf(fixture, list, BOOLEAN_ROWS),
    'with_products that is not a boolean, for one asset': rowsOf(
      fixture,
      `${list}/${fixture.ready.id}`,
      BOOLEAN_ROWS,
    ),
    'a filename filter that no name can match': rowsOf(fixture, list, FILTER_ROWS),
    'a path filter that is not a folder': rowsOf(fixture, list, PATH_ROWS),
    'a query with broken percent-encoding': rowsOf(fixture, list, BROKEN_ROWS),
  }
}
