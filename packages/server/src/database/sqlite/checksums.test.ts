import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { copySqliteTemplate } from '@stowage/testing/engines/test-engines'
import { aFolder, cleanUp } from '@stowage/testing/machine/clean-up'
import { aBusyAccount, aReadyAsset, inHours } from '../contract/builders.ts'
import type { VerificationQueue } from '../database.ts'
import { openSqliteDatabase } from './sqlite-database.ts'

/* Runs in its own process: it takes long, so it runs beside the others. */

test('the search for objects that are due for verification does not read objects that are not due', async (t) => {
  const file = join(await aFolder(t), 'stowage.db')
  await copySqliteTemplate(file)
  const statements = new Set<string>()
  const database = await openSqliteDatabase({ file, onStatement: (sql) => statements.add(sql) })
  cleanUp(t, () => database.close())
  const { data } = await aBusyAccount(database)
  const key = await aReadyAsset(data)
  statements.clear()
  const times = { now: inHours(1), latest: inHours(9), claimedUntil: inHours(0) }
  const claim = async (...queues: VerificationQueue[]) => {
    for (const queue of queues) await database.claimVerifications(queue, times, 1)
  }
  await claim('new', 'backlog', 'scrub', 'damaged')
  await database.recordVerification(key, { sha256: null, dueAt: inHours(0) })
  await claim('scrub', 'damaged')
  const other = new DatabaseSync(file)
  cleanUp(t, () => other.close())
  const plansOf = (queries: Iterable<string>) =>
    [...queries].flatMap((sql) =>
      other
        .prepare(`explain query plan ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    )
  const plans = plansOf(statements)
  const searches = plans.filter((detail) => /checksums_(due|damaged)/.test(detail))
  // Four statements that look for objects, and three that claim them, each in two ranges.
  assert.equal(searches.length, 14, plans.join('\n'))
  for (const search of searches) assert.match(search, /due_at[<>]\?/)
  await aReadyAsset(data, { sha256: 'a'.repeat(64) })
  statements.clear()
  assert.ok(await database.claimWithheld(times, { after: undefined, minBytes: 0, maxBytes: 10 }))
  const steps = plansOf(statements).filter((detail) => detail.includes('checksums_withheld'))
  // The first account, the next account, and the smallest object of an account, as result and as condition.
  assert.deepEqual(
    steps.map((detail) => detail.replace(/^.*checksums_withheld /, '')),
    [
      ...['(withheld_for>?)', '(withheld_for>?)'],
      ...['(withheld_for=? AND bytes>? AND bytes<?)', '(withheld_for=? AND bytes>? AND bytes<?)'],
    ],
  )
})
