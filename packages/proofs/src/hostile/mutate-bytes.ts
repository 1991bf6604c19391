import { gzipSync } from 'node:zlib'
import type { Random } from '@stowage/testing/machine/random'

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
