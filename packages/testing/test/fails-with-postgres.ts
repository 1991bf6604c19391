import { test } from 'node:test'
import '../src/engines/postgres.ts'

/** Not a test of the suite: `exit-code.test.ts` runs it. */
test('fails on purpose', () => {
  throw new Error('This test fails on purpose.')
})
