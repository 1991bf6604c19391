import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { problemWithLinkUrl } from './urls.ts'

function assertRefused(urls: string[], expected: RegExp): void {
  for (const url of urls) {
    assert.match(problemWithLinkUrl(url) ?? 'accepted', expected, JSON.stringify(url))
  }
}

test('http and https URLs of every kind are valid', () => {
  const urls = [
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
  for (const url of urls) assert.equal(problemWithLinkUrl(url), undefined, url)
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

test('any generated scheme except http and https is refused', () => {
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

test('an incomplete or invalid URL is refused', () => {
  const urls = ['', 'example.com/a', '/a', '//example.com/a', 'https://', 'http://[::1', ':', '?']
  assertRefused(urls, /complete URL|http:\/\/ or https:\/\//)
  assertRefused(['https://exa<mple.com', 'https://example.com:99999'], /complete URL/)
})

test('a URL that browsers resolve relative to the page is refused', () => {
  // The parser completes these; as a link in a page, "https:a" is a path on the page’s own host.
  const urls = ['https:example.com/a', 'https:/example.com/a', 'http:example.com', 'https:a']
  assertRefused(urls, /http:\/\/ or https:\/\//)
})

test('a backslash is refused, because programs interpret it in two ways', () => {
  const urls = [
    'https:\\\\example.com/a',
    'https://example.com\\@evil.example/a',
    'https://example.com/a\\b',
  ]
  assertRefused(urls, /must/)
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

test('spaces, line breaks, control characters and invalid Unicode are refused at any position', () => {
  const whole = 'https://example.com/file.zip?a=b#c'
  const invalid = fc.constantFrom(
    ...' \t\n\r\v\f\u0000\u0001\u001b\u007f\u0085\u00a0\u2028\u2029\u3000\ufeff',
    '\ud800',
    '\udfff',
  )
  fc.assert(
    fc.property(fc.nat(whole.length), invalid, (at, character) => {
      assertRefused(
        [whole.slice(0, at) + character + whole.slice(at)],
        /spaces or control characters/,
      )
    }),
    { numRuns: 500 },
  )
})

test('2048 characters are valid, one more is refused', () => {
  const url = (length: number) => 'https://example.com/'.padEnd(length, 'x')
  assert.equal(problemWithLinkUrl(url(2048)), undefined)
  assertRefused([url(2049), url(1_000_000)], /at most 2048 characters/)
})

test('every accepted URL has a host and no credentials, and its normalized form is accepted too', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      assert.equal(problemWithLinkUrl(url), undefined)
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
      const url = list.join('')
      if (problemWithLinkUrl(url) !== undefined) return
      const { protocol, host, username, password, href } = new URL(url)
      assert.match(protocol, /^https?:$/)
      assert.deepEqual([username, password], ['', ''])
      assert.notEqual(host, '')
      assert.equal(problemWithLinkUrl(href), undefined)
    }),
    { numRuns: 2000 },
  )
})
