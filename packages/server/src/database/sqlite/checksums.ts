import type { Integrity } from '../../domain/asset.ts'
import type { ClaimTimes, Verification, VerificationQueue, WithheldOptions } from '../database.ts'
import { VERIFICATION_JOB } from '../shared/events.ts'
import {
  type ChecksumRow,
  type toChecksumColumns,
  toVerification,
  toVerified,
  type VerificationRow,
} from '../shared/rows.ts'
import { type Connection, encode } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { prepareSuperseded } from './removals.ts'

interface Owner {
  seq: number
  id: string
  account_id: string
  version: number
}

/** The queries of the jobs that read the bytes of objects. */
export function prepareVerifications(connection: Connection) {
  const { prepare, transaction } = connection
  const claims = {
    new: prepareClaim(connection, "queue = 'new' and withheld_for is null"),
    backlog: prepareClaim(connection, "queue = 'backlog' and withheld_for is null"),
    scrub: prepareClaim(connection, "queue = 'scrub' and withheld_for is null"),
    // Repeats the condition of the partial index; otherwise SQLite would not use the index.
    damaged: prepareClaim(connection, 'damaged = 1'),
  }
  const withheld = prepareClaimWithheld(connection)
  const release = prepare(
    'update checksums set withheld_for = null where object_key = :key and withheld_for is not null',
  )
  const { supersedeServed, recordRead } = prepareReads(connection)

  return {
    claimVerifications(queue: VerificationQueue, times: ClaimTimes, limit: number): Verification[] {
      const { anyDue, claim } = claims[queue]
      const due = { now: times.now.getTime(), latest: times.latest.getTime() }
      // Reads first: a read is much cheaper than a write that changes nothing.
      if (anyDue.get(due) === undefined) return []
      const rows = claim.all({ ...due, claimed_until: times.claimedUntil.getTime(), limit })
      return rows.map(toVerification)
    },

    claimWithheld(
      times: ClaimTimes,
      { after, minBytes, maxBytes }: WithheldOptions,
    ): (Verification & { accountId: string }) | undefined {
      const now = times.now.getTime()
      const latest = times.latest.getTime()
      const next = (account: string) =>
        withheld.next.get({ after: account, min_bytes: minBytes, max_bytes: maxBytes, now, latest })
      const key = (next(after ?? '') ?? (after === undefined ? undefined : next('')))?.object_key
      if (key === undefined) return undefined
      const row = withheld.claim.get({ key, claimed_until: times.claimedUntil.getTime() })
      return row && { ...toVerification(row), accountId: row.withheld_for }
    },

    releaseWithheld(key: string, { keepVersions }: { keepVersions: number }): void {
      transaction(() => {
        if (release.run({ key }) === 1) supersedeServed(key, keepVersions)
      })
    },

    recordVerification(key: string, read: VerificationResult): Integrity | undefined {
      return transaction(() => recordRead(key, read))
    },
  }
}

interface VerificationResult {
  sha256: string | null
  crc32?: number | undefined
  dueAt: Date
  keepVersions?: number
}

/** The results of reads, in the caller's transaction. */
export function prepareReads(connection: Connection) {
  const { prepare } = connection
  const { supersedeOldest } = prepareSuperseded(connection)
  const { recordUpdate, recordDamage } = prepareRecordEvents(connection)
  // A declared digest that is wrong makes the first read find damage.
  const isExpected = "(:sha256 is coalesce(sha256, :sha256, ''))"
  const staysWithheld = `(${isExpected} and withheld_for is not null and not :releases)`
  const record = prepare<ChecksumRow>(
    `update checksums set sha256 = coalesce(sha256, :sha256),
       crc32 = iif(${isExpected}, coalesce(:crc32, crc32), crc32),
       verified_at = iif(${isExpected}, :now, verified_at),
       withheld_for = iif(${isExpected} and :releases, null, withheld_for),
       damaged = not ${isExpected},
       queue = iif(${staysWithheld}, 'new', 'scrub'), due_at = iif(${staysWithheld}, :now, :due_at)
     where object_key = :key and queue is not null
     returning sha256, verified_at, damaged, withheld_for is not null as is_withheld`,
  )
  const state = prepare<{ damaged: number; is_withheld: number }>(
    `select damaged, withheld_for is not null as is_withheld from checksums
     where object_key = :key and queue is not null`,
  )
  const owner = prepare<Owner>(
    `select seq, id, account_id, version from assets
     where object_key = :key and (status = 'ready' or trashed_at is not null)
     union all
     select seq, id, account_id, version from assets
     where id = :key and object_key is null and (status = 'ready' or trashed_at is not null)
     union all
     select a.seq, a.id, a.account_id, v.version
     from asset_versions v join assets a on a.id = v.asset_id
     where v.object_key = :key`,
  )

  /** Records that an object became damaged, or that it no longer is. */
  function recordChange(key: string, isDamaged: boolean): void {
    const asset = owner.get({ key })
    if (asset === undefined) return
    const writer = { account: asset.account_id, actor: VERIFICATION_JOB }
    if (isDamaged) recordDamage(writer, asset)
    else recordUpdate(writer, asset.seq, { repairedVersion: asset.version })
  }

  /** Downloads get the object from now on. Removes the versions that were kept for them, also if the asset is in the trash. */
  function supersedeServed(key: string, keep: number): void {
    const asset = owner.get({ key })
    if (asset === undefined) return
    const writer = { account: asset.account_id, actor: VERIFICATION_JOB }
    supersedeOldest(writer, asset.id, keep)
  }

  /** See `recordVerification`. */
  function recordRead(
    key: string,
    { sha256, crc32, dueAt, keepVersions }: VerificationResult,
  ): Integrity | undefined {
    const before = state.get({ key })
    const times = { now: Date.now(), due_at: dueAt.getTime() }
    const row = record.get({
      key,
      sha256,
      crc32: crc32 ?? null,
      ...times,
      releases: Number(keepVersions !== undefined),
    })
    if (row === undefined) return undefined
    const result = toVerified(row)
    if (row.damaged !== before?.damaged) recordChange(key, result.isDamaged)
    if (keepVersions !== undefined && before?.is_withheld && !result.isWithheld) {
      supersedeServed(key, keepVersions)
    }
    return result
  }

  return { supersedeServed, recordRead }
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
         select object_key from (${overdue} order by due_at limit +:limit)
         union all select object_key from (${wrong} order by due_at limit +:limit) limit +:limit)
       returning object_key, bytes, chunk_size`,
    ),
  }
}

/** The statements that claim withheld objects. Each step of the recursion is one search in the index. */
function prepareClaimWithheld({ prepare }: Connection) {
  const accountAfter = (account: string) =>
    `(select withheld_for from checksums where withheld_for > ${account} and queue = 'new'
      order by withheld_for limit 1)`
  return {
    next: prepare<{ object_key: string }>(
      `with recursive waiting (account) as (
         select ${accountAfter(':after')}
         union all
         select ${accountAfter('waiting.account')} from waiting where account is not null
       )
       select object_key from (
         select (
           select object_key from checksums
           where withheld_for = account and queue = 'new' and bytes between :min_bytes and :max_bytes
             and (due_at <= :now or due_at > :latest)
           order by bytes limit 1) as object_key
         from waiting)
       where object_key is not null limit 1`,
    ),
    claim: prepare<VerificationRow & { withheld_for: string }>(
      `update checksums set due_at = :claimed_until where object_key = :key
       returning object_key, bytes, chunk_size, withheld_for`,
    ),
  }
}

interface ObjectOfChecksum {
  key: string
  bytes: number
  chunkSize: number
}

/** The rows of objects in `checksums`, in the caller's transaction. */
export function prepareChecksums({ prepare }: Connection) {
  const declare = prepare(
    `insert into checksums (object_key, bytes, chunk_size, sha256)
     values (:key, :bytes, :chunk_size, :sha256)`,
  )
  const add = prepare(
    `insert into checksums (object_key, bytes, chunk_size, queue, due_at)
     values (:key, :bytes, :chunk_size, 'new', :now)
     on conflict (object_key) do update set bytes = excluded.bytes, queue = 'new', due_at = :now,
       withheld_for = :withheld_for`,
  )
  const addRead = prepare(
    `insert into checksums
       (object_key, bytes, chunk_size, sha256, verified_at, damaged, withheld_for, queue, due_at)
     values (:object_key, :bytes, :chunk_size, :sha256, :verified_at, :damaged, :withheld_for,
       iif(:withheld_for is null, 'backlog', 'new'), :now)
     on conflict (object_key) do update set sha256 = coalesce(sha256, excluded.sha256),
       verified_at = coalesce(excluded.verified_at, verified_at), damaged = excluded.damaged,
       withheld_for = iif(verified_at is null, excluded.withheld_for, null),
       due_at = iif(excluded.damaged = 1, excluded.due_at, due_at)`,
  )
  const remove = prepare('delete from checksums where object_key = :key')

  return {
    /** The client declared the digest of a file that it is going to upload. */
    declareChecksum({ key, bytes, chunkSize }: ObjectOfChecksum, sha256: string): void {
      declare.run({ key, bytes, chunk_size: chunkSize, sha256 })
    },

    /**
     * The object was created. Its bytes are read soon. If a digest was declared, downloads of the account
     * `withheldFor` do not get the object until its bytes have that digest.
     */
    queueChecksum({ key, bytes, chunkSize }: ObjectOfChecksum, withheldFor: string | null): void {
      const object = { key, bytes, chunk_size: chunkSize }
      add.run({ ...object, withheld_for: withheldFor, now: Date.now() })
    },

    /** The object was copied from another deployment. */
    importChecksum(row: ReturnType<typeof toChecksumColumns>[number]): void {
      addRead.run(encode({ ...row, now: Date.now() }))
    },

    /** The object was removed. */
    removeChecksum(key: string): void {
      remove.run({ key })
    },
  }
}
