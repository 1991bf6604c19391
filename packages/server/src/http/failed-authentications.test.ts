import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ServiceError } from '../domain/errors.ts'
import { openFailedAuthentications } from './failed-authentications.ts'

const WRONG_KEY = new ServiceError('unauthenticated', 'The key is wrong.')

function aLimit() {
  let now = Date.UTC(2030, 0, 1)
  const failures = openFailedAuthentications(() => new Date(now))
  return {
    pass: (seconds: number) => {
      now += seconds * 1000
    },
    fail: (address: string) => failures.count(address, WRONG_KEY).error.code,
    retryAfter: (address: string) => failures.count(address, WRONG_KEY).retryAfterSeconds,
  }
}

test('after 100 wrong keys, an address may send one each second', () => {
  const { pass, fail, retryAfter } = aLimit()
  for (let count = 0; count < 100; count += 1) assert.equal(fail('192.0.2.1'), 'unauthenticated')
  for (let count = 0; count < 10; count += 1) assert.equal(fail('192.0.2.1'), 'too_many_requests')
  assert.equal(retryAfter('192.0.2.1'), 1)
  assert.equal(fail('192.0.2.2'), 'unauthenticated')
  pass(1)
  assert.equal(fail('192.0.2.1'), 'unauthenticated')
  assert.equal(fail('192.0.2.1'), 'too_many_requests')
  pass(3600)
  for (let count = 0; count < 100; count += 1) assert.equal(fail('192.0.2.1'), 'unauthenticated')
  assert.equal(fail('192.0.2.1'), 'too_many_requests')
})

test('an IPv6 network shares one limit', () => {
  const { fail } = aLimit()
  for (let count = 0; count < 100; count += 1) fail(`2001:db8::${count.toString(16)}`)
  assert.equal(fail('2001:db8::ffff'), 'too_many_requests')
  assert.equal(fail('2001:db8:0:1::1'), 'unauthenticated')
})

test('a limited number of addresses is remembered, those that failed most recently', () => {
  const { fail } = aLimit()
  for (let count = 0; count < 101; count += 1) fail('192.0.2.1')
  for (let index = 0; index < 9_999; index += 1) fail(`10.0.${index >> 8}.${index & 255}`)
  assert.equal(fail('192.0.2.1'), 'too_many_requests')
  for (let index = 0; index < 10_000; index += 1) fail(`10.1.${index >> 8}.${index & 255}`)
  assert.equal(fail('192.0.2.1'), 'unauthenticated')
})
