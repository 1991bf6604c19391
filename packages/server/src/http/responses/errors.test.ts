import assert from 'node:assert/strict'
import { test } from 'node:test'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { wireErrors } from './errors.ts'

test('field names become wire names, in the errors and in the message', () => {
  const { code, message, data } = wireErrors(
    invalid({ uploadId: ['is wrong'], 'products.0.variantName': ['is too long'] }),
  )
  assert.equal(code, 'invalid')
  assert.equal(message, 'upload_id is wrong (and 1 more field).')
  assert.deepEqual(data.errors, {
    upload_id: ['is wrong'],
    'products.0.variant_name': ['is too long'],
  })
})

test('wire names stay as they are', () => {
  const errors = {
    'parts.0.ETag': ['a'],
    'parts.0.PartNumber': ['b'],
    mime_type: ['c'],
    size: ['d'],
  }
  assert.deepEqual(wireErrors(invalid(errors)).data.errors, errors)
})

test('an error without fields stays as it is', () => {
  const error = new ServiceError('not_found', 'There is nothing here.')
  assert.equal(wireErrors(error), error)
})
