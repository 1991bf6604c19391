import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aService } from '@stowage/testing/service/service'
import { openReadiness } from './service.ts'

test('each engine is checked once for many requests at the same time or within a second', async (t) => {
  const { context } = await aService(t)
  let now = Date.now()
  const checks = { database: 0, storage: 0 }
  const { database, storage } = context
  const isReady = openReadiness({
    ...context,
    clock: () => new Date(now),
    database: {
      ...database,
      check() {
        checks.database += 1
        return database.check()
      },
    },
    storage: {
      ...storage,
      check() {
        checks.storage += 1
        return storage.check()
      },
    },
  })
  const results = await Promise.all(Array.from({ length: 100 }, isReady))
  for (const result of results) assert.deepEqual(result, { database: true, storage: true })
  now += 999
  await isReady()
  assert.deepEqual(checks, { database: 1, storage: 1 })
  now += 1
  await isReady()
  assert.deepEqual(checks, { database: 2, storage: 2 })
})
