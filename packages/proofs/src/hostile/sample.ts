import type { Random } from '@stowage/testing/machine/random'
import type { Schema } from './document.ts'
import { TEXTS } from './hostile-values.ts'
import { type Json, plain, raw } from './json.ts'

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

export function sampleText(random: Random, { format, minLength = 0 }: Schema): string {
  if (format === 'uuid')
    return `01981d2c-5a7e-7c31-9d0a-${String(random.between(0, 1e9)).padStart(12, '0')}`
  if (random.between(0, HOSTILE_TEXT_RATE) === 0) return random.pick(TEXTS)
  return `text ${random.between(0, 1_000)}`.padEnd(minLength, 'x')
}
