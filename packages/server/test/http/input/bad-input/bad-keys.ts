import { API } from '@stowage/testing/service/upload'
import {
  type BadRequest,
  type BadRequests,
  invalid,
  type Refusal,
  shorten,
} from '../../../support/refusals.ts'
import type { ShopFixture } from '../../../support/shop-fixture.ts'
import { NOT_TEXT, TOO_LONG, UNPRINTABLE } from './bad-values.ts'

const KEY = { name: 'shop backend', scope: 'read' }

const NOT_SCOPES = [
  ...[...NOT_TEXT, ['read'], { read: true }],
  ...['', ' ', 'admin', 'public', 'Read', 'READ', 'read ', 'read,write', 'read write', '*', '\0'],
]

export function badKeys(fixture: ShopFixture): BadRequests {
  const { service, manageKey } = fixture
  const rowsOf = (rows: [body: object, refusal: Refusal][]): BadRequest[] =>
    rows.map(([body, refusal]) => ({
      input: `${shorten(body)}, for ${refusal.field}`,
      send: () => service.call('POST', `${API}/keys`, body),
      refusal,
    }))
  const named = (names: unknown[], message: RegExp) =>
    rowsOf(names.map((name) => [{ ...KEY, name }, invalid('name', message)]))
  return {
    'a key without required fields': rowsOf([
      [{}, invalid('name', /^name is required/)],
      [{}, invalid('scope')],
      [{ scope: 'read' }, invalid('name', /^name is required/)],
      [{ name: 'shop' }, invalid('scope', /^scope is required/)],
    ]),
    'an invalid name': [
      ...named([...NOT_TEXT, '', ...TOO_LONG], /^name must be a string of 1 to 255 characters/),
      ...named([' ', '\u3000', '\t\n', ...UNPRINTABLE], /^name must describe what the key is for/),
    ],
    'an unknown scope': rowsOf(
      NOT_SCOPES.map((scope) => [
        { ...KEY, scope },
        invalid('scope', /^scope must be read, write or manage/),
      ]),
    ),
    'the last manage key': [
      {
        input: 'revoked',
        send: () => service.call('DELETE', `${API}/keys/${manageKey.id}`),
        refusal: {
          status: 409,
          code: 'last_manage_key',
          message: /Create another manage key first/,
        },
      },
    ],
  }
}
