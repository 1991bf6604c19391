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

const LINK = { filename: 'a.zip', url: 'https://example.com/a.zip' }

type Row = [fields: object | string, refusal: Refusal]

/** Rows that store a link with these fields, and rows that change a link to them. */
function rowsOf({ service, link }: ShopFixture, rows: Row[]): BadRequest[] {
  const change = `${API}/assets/${link.id}`
  return rows.flatMap(([fields, refusal]): BadRequest[] => {
    const whole = typeof fields === 'string' ? fields : { ...LINK, ...fields }
    return [
      {
        input: `POST store ${shorten(fields)}`,
        send: () => service.call('POST', `${API}/assets/store`, whole),
        refusal,
      },
      {
        input: `PUT link ${shorten(fields)}`,
        send: () => service.call('PUT', change, fields),
        refusal,
      },
    ]
  })
}

const NOT_NAMES = ['../a', '..\\a', 'a/b', 'a\\b', '/', '/etc/passwd', 'C:\\a.bin', '.', '..']
const BLANK_NAMES = ['', ' ', '\u3000', '\u200b']

const OTHER_SCHEMES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'javascript://example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:application/zip;base64,UEsFBgAAAAA=',
  'file:///etc/passwd',
  'file://example.com/share/a.zip',
  'ftp://example.com/a.zip',
  'ftps://example.com/a.zip',
  'sftp://example.com/a.zip',
  's3://bucket/key',
  'ws://example.com/',
  'wss://example.com/',
  'blob:https://example.com/01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f',
  'filesystem:https://example.com/a',
  'view-source:https://example.com/',
  'vbscript:msgbox(1)',
  'mailto:a@example.com',
  'about:blank',
  'chrome://settings',
  'httpx://example.com',
  'http+unix://example.com',
  'urn:isbn:0451450523',
]

const BLANKS = [
  ' ',
  ' https://example.com/a',
  'https://example.com/a ',
  'https://example.com/a b',
  'https://example.com/a\tb',
  'https://example.com/a\nb',
  'ht\ntps://example.com/a',
  'https://example.com/\r\nX-Evil: 1',
  'https://example.com/a\0b',
  'https://exam\u00a0ple.com/',
  'https://example.com/\u2028',
  'https://example.com/\u3000',
  '\ufeffhttps://example.com/',
  'https://example.com/\u007f',
  'https://example.com/\u0085',
  'https://example.com/\ud800',
  'https://example.com/\udc00\ud800',
]

const WITH_CREDENTIALS = [
  'https://user@example.com/a',
  'https://user:password@example.com/a',
  'https://:password@example.com/a',
  'http://user:@example.com/a',
  'https://%75ser@example.com/a',
  'https://example.com@evil.example/a',
]

const INCOMPLETE = [
  'a',
  '/a.zip',
  './a.zip',
  '../a.zip',
  '?a=b',
  '#a',
  '//example.com/a.zip',
  'example.com/a.zip',
  'www.example.com',
  'http',
  'http:',
  'http://',
  'https://?a',
  'https://#a',
  'https://:443/',
  'https://example.com:99999/',
  'https://example.com:port/',
  'https://[::1/',
  'https://[::z]/',
  'https://%zz/',
  'https://exa<mple.com/',
  'http://999.999.999.999/',
]

/** On a page with the same scheme, a browser resolves some of these URLs relative to that page. */
const MAYBE_RELATIVE = [
  'http:a.zip',
  'https:a.zip',
  'http:/a.zip',
  'https:/example.com/a.zip',
  'https:///example.com/a.zip',
  'https:\\\\example.com\\a.zip',
  'https:/\\example.com/a.zip',
]

const NOT_SIZES = [
  ...[null, true, [], {}, [5], -1, -0.5, 1.5, 2 ** 53, 1e300],
  ...['', ' ', 'abc', 'MB', '-1', '-5MB', '+5MB', '5XB', '5 M', '1e3', '1e3 MB', '0x10', '1,5 MB'],
  ...['1.5.5 MB', '1. MB', '.5 MB', '10MB10', '10 MB of data', 'NaN', 'Infinity', '٣ MB', '5\0MB'],
  ...['9007199254740992', '10 PB', '9'.repeat(32), `${'0'.repeat(33)}5`, `5${' '.repeat(40)}`],
  ...['5constructor', '5__proto__', '\ud800'],
]

export function badLinks(fixture: ShopFixture): BadRequests {
  const bad = (field: string, values: unknown[], message: RegExp) =>
    rowsOf(
      fixture,
      values.map((value): Row => [{ [field]: value }, invalid(field, message)]),
    )
  const url = 'https://example.com/'
  return {
    'an invalid filename': [
      ...bad(
        'filename',
        [...NOT_TEXT, ...TOO_LONG],
        /^filename must be a file name of 1 to 255 characters/,
      ),
      ...bad('filename', BLANK_NAMES, /^filename must (not be empty|be a file name)/),
      ...bad('filename', UNPRINTABLE, /^filename must (not have control|be valid Unicode)/),
      ...bad('filename', NOT_NAMES, /^filename must be a name without folders/),
    ],
    'a URL that is not text, or too long': bad(
      'url',
      [...NOT_TEXT, '', url.padEnd(2049, 'a'), url.padEnd(60_000, 'a')],
      /^url must be an http or https URL of at most 2048 characters/,
    ),
    'a URL with another scheme than http or https': bad(
      'url',
      OTHER_SCHEMES,
      /^url must begin with http/,
    ),
    'a URL with white space or control characters': bad(
      'url',
      BLANKS,
      /^url must not have spaces or control characters: percent-encode them/,
    ),
    'a URL with a user name or password': bad(
      'url',
      WITH_CREDENTIALS,
      /^url must not contain a user name or password/,
    ),
    'an incomplete URL': bad('url', INCOMPLETE, /^url must (be a complete URL|begin with http)/),
    'a URL that browsers may treat as relative': bad('url', MAYBE_RELATIVE, /^url must /),
    'an invalid size': [
      ...bad(
        'size',
        NOT_SIZES,
        /^size must be a number of bytes, or a string such as 10MB or 1.5 GB/,
      ),
      ...['9007199254740993', '1e400', '-1e400'].map((size): BadRequest => {
        const body = `{"filename":"a","url":"${url}","size":${size}}`
        return {
          input: `POST store ${body}`,
          send: () => fixture.service.call('POST', `${API}/assets/store`, body),
          refusal: invalid('size'),
        }
      }),
    ],
    'a link without required fields': missingRows(fixture),
    'the URL and size of a file': fileRows(fixture),
  }
}

function missingRows({ service }: ShopFixture): BadRequest[] {
  const { filename, url } = LINK
  const rows: [body: object, field: string][] = [
    [{}, 'filename'],
    [{}, 'url'],
    [{ url }, 'filename'],
    [{ name: filename, url }, 'filename'],
    [{ filename }, 'url'],
    [{ filename, size: 5 }, 'url'],
  ]
  return rows.map(([body, field]) => ({
    input: `${shorten(body)}, for ${field}`,
    send: () => service.call('POST', `${API}/assets/store`, body),
    refusal: invalid(field, /is required/),
  }))
}

/** These requests are refused as a whole, although the name of a file can be changed. */
function fileRows({ service, ready, open }: ShopFixture): BadRequest[] {
  const { url } = LINK
  const rows: [body: object, field: string][] = [
    [{ url }, 'url'],
    [{ size: 25 }, 'size'],
    [{ size: '25 B' }, 'size'],
    [{ filename: 'renamed.bin', url }, 'url'],
    [{ filename: 'renamed.bin', url, size: 1 }, 'size'],
  ]
  return [ready, open].flatMap(({ id }, index) =>
    rows.map(([body, field]) => ({
      input: `PUT ${['ready', 'open'][index]} file ${shorten(body)}, for ${field}`,
      send: () => service.call('PUT', `${API}/assets/${id}`, body),
      refusal: invalid(field, /can only be changed for links/),
    })),
  )
}
