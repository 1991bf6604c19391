import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { problemWithLinkUrl } from './link-url.ts'

function assertRefused(addresses: string[], says: RegExp): void {
  for (const address of addresses) {
    assert.match(problemWithLinkUrl(address) ?? 'taken', says, JSON.stringify(address))
  }
}

test('http and https addresses of every kind are fine', () => {
  const addresses = [
    'https://example.com',
    'http://example.com/course.zip',
    'HTTPS://EXAMPLE.COM/A.zip?b=c&d=%20#e',
    'https://example.com:8443/a',
    'http://127.0.0.1:9000/a',
    'http://[::1]/a',
    'https://bücher.example/größe/日本語.pdf?q=ü',
    'https://example.com/a@b:c',
    `https://example.com/${'x'.repeat(2048 - 20)}`,
  ]
  for (const address of addresses) assert.equal(problemWithLinkUrl(address), undefined, address)
})

test('any other scheme is refused', () => {
  assertRefused(
    [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'javascript://example.com/%0aalert(1)',
      'data:text/html,<script>alert(1)</script>',
      'file:///etc/passwd',
      'file://example.com/a',
      'ftp://example.com/a',
      'blob:https://example.com/a',
      'vbscript:a',
      'view-source:https://example.com',
      'ws://example.com',
      'mailto:a@example.com',
      'about:blank',
      'httpx://example.com',
    ],
    /http:\/\/ or https:\/\//,
  )
})

test('any scheme that fast-check thinks of is refused, unless it is http or https', () => {
  const letters = fc.constantFrom(
    ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.',
  )
  fc.assert(
    fc.property(fc.string({ unit: letters, maxLength: 12 }), (scheme) => {
      fc.pre(!/^https?$/i.test(scheme))
      assert.notEqual(problemWithLinkUrl(`${scheme}://example.com/a`), undefined)
      assert.notEqual(problemWithLinkUrl(`${scheme}:a`), undefined)
    }),
  )
})

test('what is no whole address is refused', () => {
  const addresses = [
    '',
    'example.com/a',
    '/a',
    '//example.com/a',
    'https://',
    'http://[::1',
    ':',
    '?',
  ]
  assertRefused(addresses, /whole address|http:\/\/ or https:\/\//)
  assertRefused(['https://exa<mple.com', 'https://example.com:99999'], /whole address/)
})

test('an address that means something else on a page of the same scheme is refused', () => {
  // The parser mends these; as a link on a page, "https:a" is a path of that page's own host.
  const addresses = ['https:example.com/a', 'https:/example.com/a', 'http:example.com', 'https:a']
  assertRefused(addresses, /http:\/\/ or https:\/\//)
})

test('a backslash, which programs read in two ways, is refused', () => {
  const addresses = [
    'https:\\\\example.com/a',
    'https://example.com\\@evil.example/a',
    'https://example.com/a\\b',
  ]
  assertRefused(addresses, /must/)
})

test('user names and passwords are refused', () => {
  assertRefused(
    [
      'https://user@example.com/a',
      'https://user:password@example.com/a',
      'https://:password@example.com/a',
      'http://us%65r@example.com',
      'https://example.com@evil.example/a',
    ],
    /user name or password/,
  )
})

test('blanks, line breaks, control characters and broken Unicode are refused, wherever they stand', () => {
  const whole = 'https://example.com/file.zip?a=b#c'
  const strange = fc.constantFrom(
    ...' \t\n\r\v\f\u0000\u0001\u001b\u007f\u0085\u00a0\u2028\u2029\u3000\ufeff',
    '\ud800',
    '\udfff',
  )
  fc.assert(
    fc.property(fc.nat(whole.length), strange, (at, letter) => {
      assertRefused([whole.slice(0, at) + letter + whole.slice(at)], /blanks or control characters/)
    }),
    { numRuns: 500 },
  )
})

test('2048 characters are fine, one more is refused', () => {
  const address = (length: number) => 'https://example.com/'.padEnd(length, 'x')
  assert.equal(problemWithLinkUrl(address(2048)), undefined)
  assertRefused([address(2049), address(1_000_000)], /at most 2048 characters/)
})

test('whatever is taken has a host, no credentials, and is the same address when read again', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (address) => {
      assert.equal(problemWithLinkUrl(address), undefined)
    }),
  )
  const pieces = fc.constantFrom(
    'https:',
    'http:',
    '//',
    '/',
    '@',
    ':',
    'a',
    '?',
    '#',
    '.',
    '[',
    '%',
  )
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 10 }), (list) => {
      const address = list.join('')
      if (problemWithLinkUrl(address) !== undefined) return
      const { protocol, host, username, password, href } = new URL(address)
      assert.match(protocol, /^https?:$/)
      assert.deepEqual([username, password], ['', ''])
      assert.notEqual(host, '')
      assert.equal(problemWithLinkUrl(href), undefined)
    }),
    { numRuns: 2000 },
  )
})
