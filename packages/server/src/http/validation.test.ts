import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENDPOINTS } from '@stowage/protocol'
import fc from 'fast-check'
import { Compile } from 'typebox/compile'
import { findViolations, type Schema } from './validation.ts'

const ID = '01981d2c-5a7e-7c31-9d0a-6f1b2c3d4e5f'
const TEXTS = ['', 'a', '-created_at', '10MB', ID, `${ID}0`, ID.toUpperCase(), 'é'.repeat(255)]
const LONG_TEXTS = ['😀'.repeat(255), '😀'.repeat(256), 'a'.repeat(256), 'a'.repeat(3000), 'a b']
const NUMBERS = [0, 1, -1, 1.5, 10_000, 10_001, Number.MAX_SAFE_INTEGER, 2 ** 53, Number.NaN]
const OTHERS = [null, undefined, true, [], {}, [[]], [null], { name: 1 }]
const VALUES = [...TEXTS, ...LONG_TEXTS, ...NUMBERS, ...OTHERS]

/** Values that match the schema, nearly match it, or do not match it at all. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const anything = fc.constantFrom(...VALUES)
  const { properties, items, anyOf, enum: values } = schema
  const mostly = (arbitrary: fc.Arbitrary<unknown>) =>
    fc.oneof({ arbitrary, weight: 9 }, { arbitrary: anything, weight: 1 })
  if (properties !== undefined) {
    const members = Object.entries(properties).map(([name, member]) => [name, near(member)])
    return mostly(fc.record(Object.fromEntries(members), { requiredKeys: [] }))
  }
  if (items !== undefined) return mostly(fc.array(near(items), { maxLength: 3 }))
  if (anyOf !== undefined) return mostly(fc.oneof(...anyOf.map(near)))
  return values === undefined ? anything : mostly(fc.constantFrom(...values))
}

for (const { operationId, params, query, headers, body } of ENDPOINTS) {
  for (const [part, schema] of Object.entries({ params, query, headers, body })) {
    if (schema === undefined) continue
    test(`${part} of ${operationId}: the validator finds the same violations as TypeBox`, () => {
      const validator = Compile(schema)
      // TypeBox does not know what JSON Schema cannot express.
      const plain = JSON.parse(JSON.stringify(schema), (name, part) =>
        name === 'x-check' || name === 'x-aliases' ? undefined : part,
      )
      fc.assert(
        fc.property(near(schema as Schema), (value) => {
          const violations = findViolations(plain, value)
          assert.equal(violations.length === 0, validator.Check(value))
          const expected = [...validator.Errors(value)]
          if (expected.length < 8) assert.deepEqual(fieldsOf(violations), expectedFields(expected))
        }),
        { numRuns: 300 },
      )
    })
  }
}

function fieldsOf(violations: { field: string }[]): string[] {
  return [...new Set(violations.map(({ field }) => field))].sort()
}

function expectedFields(errors: { keyword: string; instancePath: string; params: object }[]) {
  const fields = errors.flatMap(({ instancePath, params }) => {
    const field = instancePath.slice(1).replaceAll('/', '.')
    const { requiredProperties, additionalProperties }: Record<string, unknown> = { ...params }
    const names = (requiredProperties ?? additionalProperties ?? ['']) as string[]
    return names.map((name) => [field, name].filter((step) => step !== '').join('.'))
  })
  return [...new Set(fields)].sort()
}

test('the elements of a list that is too long are not visited', () => {
  const list = new Proxy(Array.from({ length: 1001 }), {
    get(target, name) {
      if (name === '0') throw new Error('visited')
      return Reflect.get(target, name)
    },
  })
  const schema = {
    type: 'array',
    maxItems: 1000,
    items: { type: 'string' },
    'x-problem': 'too long',
  }
  assert.deepEqual(findViolations(schema, list), [{ field: '', problem: 'too long' }])
})

test('a list that is too long does not hide violations in other fields', () => {
  const ids = { type: 'array', maxItems: 1, 'x-problem': 'must be one id' }
  const name = { type: 'string', 'x-problem': 'must be text' }
  const schema = { type: 'object', required: ['sku'], properties: { ids, name } }
  assert.deepEqual(findViolations(schema, { ids: [1, 2], name: 3 }), [
    { field: 'sku', problem: 'is required' },
    { field: 'ids', problem: 'must be one id' },
    { field: 'name', problem: 'must be text' },
  ])
})

test('only the first 8 of thousands of violations are reported', () => {
  const schema = { type: 'array', items: { type: 'string', 'x-problem': 'must be text' } }
  const violations = findViolations(schema, Array.from({ length: 5000 }).fill(1))
  assert.equal(violations.length, 8)
  assert.deepEqual(violations[7], { field: '7', problem: 'must be text' })
})

test('a violation has the x-problem of the innermost schema that has one', () => {
  const name = { type: 'string' }
  const schema = { type: 'object', properties: { name }, 'x-problem': 'must be a product' }
  const expected = [{ field: 'name', problem: 'must be a product' }]
  assert.deepEqual(findViolations(schema, { name: 1 }), expected)
  const inner = { ...schema, properties: { name: { ...name, 'x-problem': 'must be text' } } }
  assert.deepEqual(findViolations(inner, { name: 1 }), [{ field: 'name', problem: 'must be text' }])
})

test('a text is checked further only if it matches its schema', () => {
  const schema: Schema = {
    properties: {
      name: { type: 'string', maxLength: 3, 'x-check': 'filename', 'x-problem': 'is too long' },
      size: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-check': 'size' },
    },
  }
  assert.deepEqual(findViolations(schema, { name: 'a/b', size: 'x' }), [
    { field: 'name', problem: 'must be a name without folders' },
    { field: 'size', problem: 'must be a number of bytes, or a string such as 10MB or 1.5 GB' },
  ])
  assert.deepEqual(findViolations(schema, { name: 'a/bc', size: 5 }), [
    { field: 'name', problem: 'is too long' },
  ])
  assert.deepEqual(findViolations(schema, { name: 'abc', size: '5 MB' }), [])
})
