import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import {
  apiKeyHint,
  formatApiKey,
  formatUploadToken,
  hasUploadTokenPrefix,
  includesScope,
  isWellFormedApiKey,
  isWellFormedUploadToken,
  KEY_ENTROPY_BYTES,
  KEY_SCOPES,
} from './key.ts'

test('write includes read, and manage includes both', () => {
  const table = KEY_SCOPES.map((granted) =>
    KEY_SCOPES.map((needed) => includesScope(granted, needed)),
  )
  assert.deepEqual(KEY_SCOPES, ['read', 'write', 'manage'])
  assert.deepEqual(table, [
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 54

const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 })
const keys = bytes.map(formatApiKey)

test('a key has the same length, prefix and alphabet for any bytes', () => {
  assert.equal(KEY_ENTROPY_BYTES, 32)
  const ends = [new Uint8Array(32), new Uint8Array(32).fill(255)]
  for (const key of ends.map(formatApiKey)) assert.match(key, /^stow_[0-9A-Za-z]{49}$/)
  fc.assert(
    fc.property(keys, (key) => {
      assert.match(key, /^stow_[0-9A-Za-z]{49}$/)
      assert.ok(isWellFormedApiKey(key))
    }),
  )
})

test('the same bytes always become the same key', () => {
  const counting = Uint8Array.from({ length: 32 }, (_, index) => index)
  assert.equal(
    formatApiKey(new Uint8Array(32)),
    'stow_00000000000000000000000000000000000000000002CZclj',
  )
  assert.equal(formatApiKey(counting), 'stow_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf1Yo7hP')
  assert.equal(
    formatApiKey(new Uint8Array(32).fill(255)),
    'stow_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp13sRzl1',
  )
})

test('keys and upload tokens have different prefixes, so that neither is accepted as the other', () => {
  fc.assert(
    fc.property(bytes, (random) => {
      const [key, token] = [formatApiKey(random), formatUploadToken(random)]
      assert.equal(token, key.replace('stow_', 'stowup_'))
      assert.ok(isWellFormedUploadToken(token) && hasUploadTokenPrefix(token))
      assert.ok(!isWellFormedUploadToken(key) && !isWellFormedApiKey(token))
      assert.ok(!isWellFormedUploadToken(token.slice(0, -1)))
    }),
  )
})

test('keys of different bytes differ, even if only one bit does', () => {
  fc.assert(
    fc.property(bytes, bytes, (one, other) => {
      const isSame = Buffer.compare(one, other) === 0
      assert.equal(formatApiKey(one) === formatApiKey(other), isSame)
    }),
  )
  fc.assert(
    fc.property(bytes, fc.nat(255), (one, bit) => {
      const other = Uint8Array.from(one)
      other[bit >> 3] = (other[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      assert.notEqual(formatApiKey(one), formatApiKey(other))
    }),
  )
})

test('a single mistyped character is detected at any position', () => {
  const letters = fc.oneof(fc.constantFrom(...ALPHABET), fc.constantFrom(...' _-…é\u0000\n'))
  fc.assert(
    fc.property(keys, fc.nat(LENGTH - 1), letters, (key, at, letter) => {
      fc.pre(key[at] !== letter)
      assert.ok(!isWellFormedApiKey(key.slice(0, at) + letter + key.slice(at + 1)))
    }),
    { numRuns: 2000 },
  )
})

test('two swapped adjacent characters are detected', () => {
  fc.assert(
    fc.property(keys, fc.nat(LENGTH - 2), (key, at) => {
      const [one = '', two = ''] = key.slice(at, at + 2)
      fc.pre(one !== two)
      assert.ok(!isWellFormedApiKey(key.slice(0, at) + two + one + key.slice(at + 2)))
    }),
    { numRuns: 1000 },
  )
})

test('a key that is truncated, too long or surrounded by text is detected', () => {
  fc.assert(
    fc.property(
      keys,
      fc.nat(LENGTH - 1),
      fc.constantFrom(...ALPHABET, ' ', '\n'),
      (key, at, letter) => {
        assert.ok(!isWellFormedApiKey(key.slice(0, at)))
        assert.ok(!isWellFormedApiKey(key.slice(LENGTH - at)))
        assert.ok(!isWellFormedApiKey(key.slice(0, at) + key.slice(at + 1)))
        assert.ok(!isWellFormedApiKey(key.slice(0, at) + letter + key.slice(at)))
        assert.ok(!isWellFormedApiKey(key + letter))
        assert.ok(!isWellFormedApiKey(letter + key))
      },
    ),
  )
})

test('characters outside the alphabet are detected, even with a valid checksum', () => {
  const checksum = (secret: string) => {
    let rest = crc32(secret)
    let letters = ''
    while (letters.length < 6) {
      letters = ALPHABET.charAt(rest % 62) + letters
      rest = Math.floor(rest / 62)
    }
    return letters
  }
  const own = formatApiKey(new Uint8Array(32)).slice(5, 48)
  assert.ok(isWellFormedApiKey(`stow_${own}${checksum(own)}`))
  for (const secret of ['!'.repeat(43), '-'.repeat(43), 'é'.repeat(43), `${own.slice(1)}\u0000`]) {
    assert.ok(!isWellFormedApiKey(`stow_${secret}${checksum(secret)}`), secret)
  }
})

test('arbitrary text is not a key', () => {
  fc.assert(fc.property(fc.string(), (text) => assert.ok(!isWellFormedApiKey(text))))
  const letters = fc.string({ unit: fc.constantFrom(...ALPHABET), minLength: 49, maxLength: 49 })
  fc.assert(fc.property(letters, (text) => assert.ok(!isWellFormedApiKey(`stow_${text}`))))
})

test('the hint shows the last four characters of the checksum, and no random characters', () => {
  fc.assert(
    fc.property(keys, (key) => {
      assert.equal(apiKeyHint(key), `stow_…${key.slice(-4)}`)
    }),
  )
})
