import type { VerificationData } from '../verification-data.ts'
import { begin, type Sql } from './connection.ts'
import { lockAccountOf, recordDamage } from './record-damage.ts'
import type { Fragment } from './statement.ts'

interface VerificationRow {
  object_key: string
  bytes: number
  chunk_size: number
}

interface ChecksumRow {
  sha256: string | null
  verified_at: Date | null
  damaged: boolean
}

/** The queries of the jobs that read the bytes of objects. Instances may run them concurrently. */
export function globalVerifications(sql: Sql): VerificationData {
  return {
    async claimVerifications(queue, { now, latest, claimedUntil }, limit) {
      // `damaged` repeats the condition of the partial index; otherwise PostgreSQL would not use the index.
      const isQueued = queue === 'damaged' ? sql`damaged` : sql`queue = ${queue}`
      // Two queries: with `or`, PostgreSQL would read the whole queue.
      const due = (isDue: Fragment) => sql`
        select object_key from (
          select object_key from checksums where ${isQueued} and ${isDue}
          order by due_at limit ${limit} for update skip locked) due`
      const rows = await sql<VerificationRow[]>`
        update checksums set due_at = ${claimedUntil}
        where object_key = any(array(
          ${due(sql`due_at <= ${now}`)} union all ${due(sql`due_at > ${latest}`)} limit ${limit}))
        returning object_key, bytes, chunk_size`
      return rows.map(({ object_key: key, bytes, chunk_size: chunkSize }) => {
        return { key, bytes, chunkSize }
      })
    },

    async postponeVerification(key, dueAt) {
      await sql`
        update checksums set due_at = ${dueAt} where object_key = ${key} and queue is not null`
    },

    async recordVerification(key, { sha256, dueAt }) {
      // A declared digest that is wrong makes the first read find damage.
      const isExpected = sql`coalesce(${sha256}::text = coalesce(sha256, ${sha256}::text), false)`
      const record = (transaction: Sql, condition: Fragment) => transaction<ChecksumRow[]>`
        update checksums set sha256 = coalesce(sha256, ${sha256}::text),
          verified_at = case when ${isExpected} then now() else verified_at end,
          damaged = not ${isExpected}, queue = 'scrub', due_at = ${dueAt}
        where object_key = ${key} and queue is not null ${condition}
        returning sha256, verified_at, damaged`
      const [unchanged] = await record(sql, sql`and damaged <> ${isExpected}`)
      const change = async (transaction: Sql) => {
        await lockAccountOf(transaction, key)
        const [before] = await transaction<Pick<ChecksumRow, 'damaged'>[]>`
          select damaged from checksums where object_key = ${key} and queue is not null for update`
        const [after] = await record(transaction, sql``)
        if (after && after.damaged !== before?.damaged) {
          await recordDamage(transaction, key, after.damaged)
        }
        return after
      }
      const row = unchanged ?? (await begin(sql, change))
      return row && { sha256: row.sha256, verifiedAt: row.verified_at, isDamaged: row.damaged }
    },
  }
}
