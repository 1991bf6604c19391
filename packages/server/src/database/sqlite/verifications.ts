import type { Integrity } from '../../domain/asset.ts'
import type { Verification, VerificationQueue } from '../verification-data.ts'
import { prepareRecordDamage } from './record-damage.ts'
import type { Connection } from './statement.ts'

interface VerificationRow {
  object_key: string
  bytes: number
  chunk_size: number
}

interface ChecksumRow {
  sha256: string | null
  verified_at: number | null
  damaged: number
}

/** The statements that claim the objects of one queue. The condition selects the queue. */
function prepareClaim({ prepare }: Connection, condition: string) {
  // Two queries: with `or`, SQLite would read the whole queue.
  const overdue = `select object_key from checksums where ${condition} and due_at <= :now`
  const wrong = `select object_key from checksums where ${condition} and due_at > :latest`
  return {
    anyDue: prepare(`select 1 where exists (${overdue}) or exists (${wrong})`),
    claim: prepare<VerificationRow>(
      `update checksums set due_at = :claimed_until where object_key in (
         select object_key from (${overdue} order by due_at limit :limit)
         union all select object_key from (${wrong} order by due_at limit :limit) limit :limit)
       returning object_key, bytes, chunk_size`,
    ),
  }
}

/** The queries of the jobs that read the bytes of objects. */
export function prepareVerifications(connection: Connection) {
  const { prepare, transaction } = connection
  const recordDamage = prepareRecordDamage(connection)
  const claims = {
    new: prepareClaim(connection, "queue = 'new'"),
    backlog: prepareClaim(connection, "queue = 'backlog'"),
    scrub: prepareClaim(connection, "queue = 'scrub'"),
    // Repeats the condition of the partial index; otherwise SQLite would not use the index.
    damaged: prepareClaim(connection, 'damaged = 1'),
  }
  const postpone = prepare(
    'update checksums set due_at = :due_at where object_key = :key and queue is not null',
  )
  // A declared digest that is wrong makes the first read find damage.
  const record = prepare<ChecksumRow>(
    `update checksums set sha256 = coalesce(sha256, :sha256),
       verified_at = iif(:sha256 is coalesce(sha256, :sha256, ''), :now, verified_at),
       damaged = :sha256 is not coalesce(sha256, :sha256, ''), queue = 'scrub', due_at = :due_at
     where object_key = :key and queue is not null returning sha256, verified_at, damaged`,
  )

  const wasDamaged = prepare<{ damaged: number }>(
    'select damaged from checksums where object_key = :key and queue is not null',
  )
  return {
    claimVerifications(
      queue: VerificationQueue,
      times: { now: Date; latest: Date; claimedUntil: Date },
      limit: number,
    ): Verification[] {
      const { anyDue, claim } = claims[queue]
      const due = { now: times.now.getTime(), latest: times.latest.getTime() }
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (anyDue.get(due) === undefined) return []
      const rows = claim.all({ ...due, claimed_until: times.claimedUntil.getTime(), limit })
      return rows.map(({ object_key: key, bytes, chunk_size: chunkSize }) => {
        return { key, bytes, chunkSize }
      })
    },

    postponeVerification(key: string, dueAt: Date): void {
      postpone.run({ key, due_at: dueAt.getTime() })
    },

    recordVerification(
      key: string,
      { sha256, dueAt }: { sha256: string | null; dueAt: Date },
    ): Integrity | undefined {
      return transaction(() => {
        const before = wasDamaged.get({ key })
        const row = record.get({ key, sha256, now: Date.now(), due_at: dueAt.getTime() })
        if (row === undefined) return undefined
        const isDamaged = row.damaged === 1
        if (row.damaged !== before?.damaged) recordDamage(key, isDamaged)
        const verifiedAt = row.verified_at === null ? null : new Date(row.verified_at)
        return { sha256: row.sha256, verifiedAt, isDamaged }
      })
    },
  }
}
