import assert from 'node:assert/strict'
import { test } from 'node:test'
import { statement } from './dialect.ts'

function partsOf(text: string) {
  const { strings, names } = statement(text).none()
  return { strings: [...strings], names: [...names] }
}

test('a statement is split at its parameters, also if one is repeated', () => {
  assert.deepEqual(partsOf('select :id from t where id = :id and account_id = :account'), {
    strings: ['select ', ' from t where id = ', ' and account_id = ', ''],
    names: ['id', 'id', 'account'],
  })
})

test('casts and colons in texts are not parameters', () => {
  const text = `select 1 from t where a = any(:known::text[]) and secret like 'sealed:%'`
  assert.deepEqual(partsOf(text), {
    strings: ['select 1 from t where a = any(', `::text[]) and secret like 'sealed:%'`],
    names: ['known'],
  })
})

test('a statement without parameters is one text', () => {
  assert.deepEqual(partsOf('select 1'), { strings: ['select 1'], names: [] })
})
