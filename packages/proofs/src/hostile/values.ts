import { gzipSync } from 'node:zlib'
import type { Random } from '@stowage/testing/machine/random'
import type { Schema } from './generator-context.ts'

/** Texts that careless programs interpret, truncate or reject. */
export const TEXTS: readonly [string, ...string[]] = [
  '',
  ' ',
  '.',
  '..',
  '../../../../etc/passwd',
  '..\\..\\windows\\win.ini',
  '/etc/passwd',
  'C:\\file.txt',
  'CON',
  'file.txt:stream',
  'name\u0000.txt',
  '\u0000',
  '\u0001\u0007\u001b[2J\u001b]0;title\u0007',
  'a\r\nX-Injected: 1\r\n\r\nHTTP/1.1 200 OK',
  '%0d%0aX-Injected: 1',
  'a"; filename="b',
  "'; drop table assets; --",
  "' or '1'='1",
  '%',
  '%_\\',
  '<script>alert(1)</script>',
  '{{7*7}}$`{7*7}`',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'NaN',
  'Infinity',
  '-0',
  '1e999',
  '0x10',
  '１２３',
  'true',
  'İıſK',
  'ﬀﬁ',
  'e\u0301'.repeat(50),
  `a${'\u0300'.repeat(300)}`,
  '\u202efdp.exe',
  '\u200b\ufeff\u2060',
  '\u2028\u2029',
  '👩‍👩‍👧‍👦🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '𝕳'.repeat(255),
  '漢'.repeat(255),
  'a'.repeat(255),
  'a'.repeat(256),
  'a'.repeat(10_000),
  `${'a/'.repeat(200)}b`,
  'application/zip',
  'text/html; charset=utf-8',
  'text/html\u00ff',
  'image/svg+xml;a="\\"',
  'http://127.0.0.1:1/',
  'https://user:pass@example.com/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'http://[::1',
  'https://example.com/\u0000',
  '00000000-0000-0000-0000-000000000000',
  'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF',
  '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f\n',
  '999999999999999999999999GB',
  '-1 MB',
  '10MB',
  '2026-02-30T25:61:61Z',
]

/** The same texts as header values, without control characters: each character stands for one byte. */
export const HEADER_TEXTS = TEXTS.map((text) =>
  Buffer.from(text.replaceAll(/\p{Cc}/gu, '')).toString('latin1'),
) as [string, ...string[]]

/** Unusual but valid JSON values, as written. */
const JSON_VALUES: readonly [string, ...string[]] = [
  'null',
  'true',
  'false',
  '0',
  '-0',
  '-1',
  '1',
  '0.1',
  '1e-400',
  '1e400',
  '-1e400',
  '1E5',
  '5.0',
  '2147483648',
  '9007199254740991',
  '9007199254740992',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '18446744073709551616',
  `1${'0'.repeat(400)}`,
  `0.${'1'.repeat(5_000)}`,
  '[]',
  '{}',
  '[null]',
  '[[]]',
  '{"__proto__":{"polluted":1}}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":1}',
  '{"length":1000000000}',
  '"\\ud800"',
  '"\\udc00\\ud800"',
  '"a\\ud83d"',
  '"\\u0000"',
  '"\\u005f\\u005fproto\\u005f\\u005f"',
  '"\\/\\b\\f"',
  `[${'1,'.repeat(2_000)}1]`,
  `{${Array.from({ length: 500 }, (_, index) => `"k${index}":1`).join(',')}}`,
  nested(31),
  nested(33),
  nested(1_000),
  nested(20_000),
]

/** Texts that some programs accept as JSON although they are not. */
const NOT_JSON: readonly [string, ...string[]] = [
  'NaN',
  'Infinity',
  '-Infinity',
  'undefined',
  '0x10',
  '01',
  '.5',
  '5.',
  '+1',
  "'text'",
  '"a\nb"',
  '"\\x41"',
  '"\\u12"',
  '"unfinished',
  '1 2',
  '[1,]',
  '{"a":1,}',
  '{a:1}',
  '/* comment */ 1',
  '[',
  '',
]

/** Names with a special meaning in JavaScript, or in careless code. */
export const NAMES: readonly [string, ...string[]] = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  '',
  '0',
  'a'.repeat(5_000),
  '\u0000',
  '$where',
  'id',
  'account_id',
  'status',
]

function nested(levels: number): string {
  return '['.repeat(levels) + ']'.repeat(levels)
}

/**
 * A JSON document that may be invalid: leaves are raw text, and members may have the same name.
 */
type Json =
  | { kind: 'raw'; text: string }
  | { kind: 'list'; items: Json[] }
  | { kind: 'object'; members: [string, Json][] }

function raw(text: string): Json {
  return { kind: 'raw', text }
}

/** Converts a JavaScript value. */
function plain(value: unknown): Json {
  if (Array.isArray(value)) return { kind: 'list', items: value.map(plain) }
  if (typeof value === 'object' && value !== null) {
    return {
      kind: 'object',
      members: Object.entries(value).map(([name, one]) => [name, plain(one)]),
    }
  }
  return raw(JSON.stringify(value))
}

export function writeJson(json: Json): string {
  if (json.kind === 'raw') return json.text
  if (json.kind === 'list') return `[${json.items.map(writeJson).join(',')}]`
  return `{${json.members.map(([name, value]) => `${JSON.stringify(name)}:${writeJson(value)}`).join(',')}}`
}

/** Values of existing resources, by the name of the member. */
export type Known = Record<string, unknown>

/** One of this many texts is hostile; the schema may still accept it. */
const HOSTILE_TEXT_RATE = 4

/** A value that usually matches the schema. */
export function sample(random: Random, schema: Schema, known: Known): Json {
  const { enum: values, anyOf } = schema
  if (values?.length) return plain(values[random.between(0, values.length)])
  const choice = anyOf?.[random.between(0, anyOf.length)]
  if (choice !== undefined) return sample(random, choice, known)
  const type = [schema.type].flat()[0]
  if (type === 'object') return sampleObject(random, schema, known)
  if (type === 'array') return sampleList(random, schema, known)
  if (type === 'integer' || type === 'number') return raw(String(sampleNumber(random, schema)))
  if (type === 'boolean') return raw(random.pick(['true', 'false']))
  return plain(sampleText(random, schema))
}

function sampleObject(
  random: Random,
  { properties = {}, required = [] }: Schema,
  known: Known,
): Json {
  const members: [string, Json][] = []
  for (const [name, property] of Object.entries(properties)) {
    if (!required.includes(name) && random.between(0, 2) === 0) continue
    const isKnown = Object.hasOwn(known, name) && random.between(0, 8) > 0
    members.push([name, isKnown ? plain(known[name]) : sample(random, property, known)])
  }
  return { kind: 'object', members }
}

function sampleList(random: Random, { items = {}, minItems = 0 }: Schema, known: Known): Json {
  const count = Math.max(minItems, random.between(0, 4))
  return { kind: 'list', items: Array.from({ length: count }, () => sample(random, items, known)) }
}

function sampleNumber(random: Random, { minimum = 0, maximum = 2 ** 53 - 1 }: Schema): number {
  const choice = random.between(0, 12)
  if (choice === 0) return minimum
  if (choice === 1) return maximum
  return minimum + random.between(0, Math.min(50, maximum - minimum))
}

function sampleText(random: Random, { format, minLength = 0 }: Schema): string {
  if (format === 'uuid')
    return `01981d2c-5a7e-7c31-9d0a-${String(random.between(0, 1e9)).padStart(12, '0')}`
  if (random.between(0, HOSTILE_TEXT_RATE) === 0) return random.pick(TEXTS)
  return `text ${random.between(0, 1_000)}`.padEnd(minLength, 'x')
}

/** Changes one random node. */
export function mutateJson(random: Random, json: Json): Json {
  const target = random.between(0, countNodes(json))
  let index = -1
  function visit(node: Json): Json {
    index += 1
    if (index === target) return change(random, node)
    if (node.kind === 'list') return { kind: 'list', items: node.items.map(visit) }
    if (node.kind === 'object') {
      return { kind: 'object', members: node.members.map(([name, value]) => [name, visit(value)]) }
    }
    return node
  }
  return visit(json)
}

function countNodes(json: Json): number {
  if (json.kind === 'list') return 1 + sum(json.items.map(countNodes))
  if (json.kind === 'object') return 1 + sum(json.members.map(([, value]) => countNodes(value)))
  return 1
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function change(random: Random, node: Json): Json {
  const choice = random.between(0, 10)
  if (choice < 3 && node.kind === 'object') return changeMembers(random, node.members)
  if (choice < 3 && node.kind === 'list') return changeItems(random, node.items)
  if (choice < 6) return raw(random.pick(JSON_VALUES))
  if (choice === 6) return raw(random.pick(NOT_JSON))
  if (choice === 7) return { kind: 'list', items: [node] }
  if (choice === 8) return { kind: 'object', members: [[random.pick(NAMES), node]] }
  return plain(random.pick(TEXTS))
}

function changeMembers(random: Random, members: [string, Json][]): Json {
  const at = random.between(0, members.length + 1)
  const one = members[at]
  const extra: [string, Json] = [random.pick(NAMES), raw(random.pick(JSON_VALUES))]
  const changed = random.pick<[string, Json][]>([
    members.toSpliced(at, 1),
    [...members, extra],
    [extra, ...members],
    // A duplicate name: JavaScript uses the last one.
    [...members, ...(one ? [one] : [])],
    [...(one ? [[one[0], raw(random.pick(JSON_VALUES))] as [string, Json]] : []), ...members],
    one ? members.toSpliced(at, 1, [one[0].toUpperCase(), one[1]]) : members,
    [],
  ])
  return { kind: 'object', members: changed }
}

function changeItems(random: Random, items: Json[]): Json {
  const at = random.between(0, items.length + 1)
  const one = items[at]
  const copies = random.pick([2, 300, 1_001])
  const changed = random.pick<Json[]>([
    items.toSpliced(at, 1),
    [...items, raw(random.pick(JSON_VALUES))],
    one ? Array.from({ length: copies }, () => one) : [],
    items.toReversed(),
  ])
  return { kind: 'list', items: changed }
}

/** Sequences that are not UTF-8: overlong, surrogates, beyond Unicode, truncated. */
const NOT_UTF8: readonly [string, ...string[]] = [
  'ff',
  'c080',
  'eda080',
  'f4908080',
  'f8a0a0a0a0',
  'e282',
  '80',
]

type Change = (random: Random, text: string) => Buffer

const CHANGES: readonly [Change, ...Change[]] = [
  (random, text) => insert(random, text, Buffer.from(random.pick(NOT_UTF8), 'hex')),
  (random, text) => insert(random, text, Buffer.from([random.between(0, 256)])),
  (random, text) => Buffer.from(text).subarray(0, random.between(0, text.length + 1)),
  (_, text) => Buffer.from(`\ufeff${text}`),
  (_, text) => Buffer.from(text, 'utf16le'),
  (_, text) => Buffer.from(text + text),
  (_, text) => Buffer.from(`${text}\u0000`),
  (_, text) => Buffer.from(` \n\t${text}\r\n`),
  (_, text) => gzipSync(text),
  () => Buffer.alloc(0),
  (random) => Buffer.alloc(random.pick([1, 65_537, 300_000]), '['),
  (random) => Buffer.from(`{"a":"${'b'.repeat(random.pick([10, 65_530, 70_000]))}"}`),
]

/** The text with changed bytes. */
export function mutateBytes(random: Random, text: string): Buffer {
  return random.pick(CHANGES)(random, text)
}

function insert(random: Random, text: string, bytes: Buffer): Buffer {
  const whole = Buffer.from(text)
  const at = random.between(0, whole.length + 1)
  return Buffer.concat([whole.subarray(0, at), bytes, whole.subarray(at)])
}
