/** Values that are not text. */
export const NOT_TEXT = [null, 5, true, [], {}, ['a']]

/** Values that are not lists. */
export const NOT_LISTS = [null, 5, true, 'a', {}, { 0: 'a' }]

/** Texts that every field refuses. */
export const UNPRINTABLE = [
  'a\0b',
  '\0',
  'a\nb',
  'a\r\nb',
  'a\tb',
  'a\u001bb',
  'a\u007fb',
  'a\u0085b',
  '\ud800',
  'a\udc00b',
  '\ude00\ud83d',
]

/** Values that are not shop IDs. */
export const NOT_SHOP_IDS = [null, '1', '', true, [], {}, [1], -1, -0.5, 1.5, 2 ** 53, 1e300]

/** As text, because JSON.stringify would change these numbers. */
export const NOT_SHOP_ID_TEXTS = [
  '9007199254740993',
  '1e400',
  '-1e400',
  '1e-7',
  '-9007199254740993',
]

export const TOO_LONG = ['a'.repeat(256), 'a'.repeat(10_000), '😀'.repeat(256)]

/** Query values that are not shop IDs. */
export const NOT_SHOP_ID_QUERIES = [
  '',
  '-1',
  '1.5',
  '1.0',
  '1e3',
  '0x10',
  'abc',
  'null',
  'NaN',
  '%2B1',
  '1%20',
  '1,2',
  '1%00',
  '%D9%A3',
  '9007199254740992',
  '9007199254740993',
  '9'.repeat(400),
  '-9007199254740993',
]

/** Query values that are not valid text. Broken percent-encoding is refused earlier. */
export const UNPRINTABLE_QUERIES = ['%00', 'a%00b', 'a%0ab', '%0d%0aX:1', '%1b', '%7f', '%C2%85']
export const TOO_LONG_QUERIES = ['a'.repeat(256), 'a'.repeat(300), '%F0%9F%98%80'.repeat(256)]
export const BROKEN_QUERIES = ['%', '%zz', '%2', '%ff', '%c3%28', '%ed%a0%80']

export const NOT_BOOLEANS = [
  '',
  'maybe',
  'yes',
  'TRU',
  'null',
  '2',
  '-1',
  '01',
  'true%20',
  'toString',
]

/** IDs that match no resource of any kind. */
export const NOWHERE_IDS = [
  'nonsense',
  '0',
  '-1',
  'null',
  '__proto__',
  '00000000-0000-0000-0000-000000000000',
  '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f',
  'a%2Fb',
  '%00',
  '%0d%0aX-Evil:%201',
  "'%20or%20'1'='1",
  '%F0%9F%98%80',
  'a'.repeat(101),
]

export const BROKEN_IDS = ['%', '%zz', '%ff', '%ed%a0%80']

/** Folders that are refused in uploads, links and filters. */
export const BAD_PATHS = [
  '/a',
  'a//b',
  '.',
  '..',
  'a/..',
  '../a',
  'a/./b',
  'a\\b',
  ' ',
  'a/ /b',
  'a/\u200b/b',
  'a\0b',
  'a\nb',
  'a'.repeat(256),
  'a/'.repeat(300),
]
