import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPostgresServer } from '@stowage/testing/engines/postgres'
import { cleanUp } from '@stowage/testing/machine/clean-up'
import postgres from 'postgres'
import { anAccount, aReadyAsset, inHours } from '../contract/builders.ts'
import { openPostgresDatabase } from './postgres-database.ts'

const server = await aPostgresServer()

test('a claim or a deletion does not exceed its limit, even if PostgreSQL joins with nested loops', async (t) => {
  const url = await server.database(t)
  const admin = postgres(url, { max: 1 })
  cleanUp(t, () => admin.end())
  const [row] = await admin`select current_database() as name`
  // A nested loop could run the query of the due rows once for each row.
  for (const plan of ['hashjoin', 'mergejoin', 'material', 'hashagg', 'sort', 'memoize']) {
    await admin.unsafe(`alter database ${row?.name} set enable_${plan} = off`)
  }
  const options = { poolSize: 2, statementTimeoutMs: 10_000, tls: 'off' } as const
  const database = await openPostgresDatabase({ url, ...options })
  cleanUp(t, () => database.close())
  const data = database.of((await anAccount(database, 'limits')).id)
  for (let index = 0; index < 4; index += 1) {
    await data.deleteAsset(await aReadyAsset(data))
    await aReadyAsset(data)
    await aReadyAsset(data, { sha256: 'a'.repeat(64) })
  }
  const times = { now: inHours(1), latest: inHours(999), claimedUntil: inHours(2) }
  assert.equal((await database.claimVerifications('new', times, 1)).length, 1)
  await database.claimWithheld(times, { after: undefined, minBytes: 0, maxBytes: 10 })
  const rest = await admin`select from checksums where withheld_for is not null and due_at < now()`
  assert.equal(rest.length, 3)
  assert.equal((await database.claimDueRemovals(inHours(1), 1)).length, 1)
  assert.equal(await database.forgetEndedAssets(inHours(1), 1), 1)
})
