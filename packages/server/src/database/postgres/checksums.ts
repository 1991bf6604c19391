import type { FirstRead } from '../account-data.ts'
import { VERIFICATION_JOB } from '../shared/events.ts'
import {
  type ChecksumRow,
  type toChecksumColumns,
  toVerification,
  toVerified,
  type VerificationRow,
} from '../shared/rows.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { type Fragment, inTransaction, type Sql } from './connection.ts'
import { assetSnapshot, recordEvents } from './events.ts'
import { supersedeOldest } from './removals.ts'
import { FIRST_ID } from './rows.ts'

/** The queries of the jobs that read the bytes of objects. Instances may run them concurrently. */
export function globalVerifications(sql: Sql): DatabaseMethods['verifications'] {
  return {
    async claimVerifications(queue, { now, latest, claimedUntil }, limit) {
      // `damaged` repeats the condition of the partial index; otherwise PostgreSQL would not use the index.
      const isQueued =
        queue === 'damaged' ? sql`damaged` : sql`queue = ${queue} and withheld_for is null`
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
      return rows.map(toVerification)
    },

    async claimWithheld({ now, latest, claimedUntil }, { after, minBytes, maxBytes }) {
      // Each step of the recursion is one search in the index.
      const accountAfter = (account: Fragment) => sql`(
        select withheld_for from checksums where withheld_for > ${account} and queue = 'new'
        order by withheld_for limit 1)`
      const claimAfter = (account: string) => sql<(VerificationRow & { withheld_for: string })[]>`
        update checksums set due_at = ${claimedUntil}
        where object_key = any(array(
          with recursive waiting (account) as (
            select ${accountAfter(sql`${account}::uuid`)}
            union all
            select ${accountAfter(sql`waiting.account`)} from waiting where account is not null
          )
          select due.object_key from waiting, lateral (
            select object_key from checksums
            where withheld_for = waiting.account and queue = 'new'
              and bytes between ${minBytes}::bigint and ${maxBytes}::bigint
              and (due_at <= ${now} or due_at > ${latest})
            order by bytes limit 1 for update skip locked) due
          limit 1))
        returning object_key, bytes, chunk_size, withheld_for`
      const [row] = await claimAfter(after ?? FIRST_ID)
      const [found] = row || after === undefined ? [row] : await claimAfter(FIRST_ID)
      return found && { ...toVerification(found), accountId: found.withheld_for }
    },

    async releaseWithheld(key, { keepVersions }) {
      await inTransaction(sql, async () => {
        const owner = await lockOwner(sql, key)
        const released = await sql`
          update checksums set withheld_for = null
          where object_key = ${key} and withheld_for is not null`
        if (released.count === 1) await supersedeServed(sql, owner, keepVersions)
      })
    },

    async recordVerification(key, { dueAt, ...read }) {
      const result = { ...read, dueAt: sql`${dueAt}::timestamptz` }
      const [unchanged] = await updateRead(
        sql,
        { key, ...result },
        (isExpected) =>
          sql`and damaged <> ${isExpected} and (withheld_for is null or not ${isExpected})`,
      )
      const row = unchanged ?? (await inTransaction(sql, () => recordRead(sql, key, result)))
      return row && toVerified(row)
    },
  }
}

interface ReadResult {
  sha256: string | null
  crc32?: number | undefined
  dueAt: Fragment
  keepVersions?: number
}

/** The condition gets whether the digest is the expected one. */
function updateRead(
  sql: Sql,
  { key, sha256, crc32, dueAt, keepVersions }: ReadResult & { key: string },
  condition: (isExpected: Fragment) => Fragment,
) {
  // A declared digest that is wrong makes the first read find damage.
  const isExpected = sql`coalesce(${sha256}::text = coalesce(sha256, ${sha256}::text), false)`
  const releases = keepVersions !== undefined
  const staysWithheld = sql`(${isExpected} and withheld_for is not null and not ${releases})`
  return sql<ChecksumRow[]>`
    update checksums set sha256 = coalesce(sha256, ${sha256}::text),
      crc32 = case when ${isExpected} then coalesce(${crc32 ?? null}::bigint, crc32) else crc32 end,
      verified_at = case when ${isExpected} then now() else verified_at end,
      withheld_for = case when ${isExpected} and ${releases} then null else withheld_for end,
      damaged = not ${isExpected},
      queue = case when ${staysWithheld} then 'new' else 'scrub' end,
      due_at = case when ${staysWithheld} then now() else ${dueAt} end
    where object_key = ${key} and queue is not null ${condition(isExpected)}
    returning sha256, verified_at, damaged, withheld_for is not null as is_withheld`
}

/** See `recordVerification`. Runs in the caller's transaction. */
export async function recordRead(
  sql: Sql,
  key: string,
  result: ReadResult,
): Promise<ChecksumRow | undefined> {
  const owner = await lockOwner(sql, key)
  const [before] = await sql<Pick<ChecksumRow, 'damaged' | 'is_withheld'>[]>`
    select damaged, withheld_for is not null as is_withheld from checksums
    where object_key = ${key} and queue is not null for update`
  const [after] = await updateRead(sql, { key, ...result }, () => sql``)
  if (after && after.damaged !== before?.damaged) {
    await recordDamage(sql, key, Boolean(after.damaged))
  }
  const isReleased = before?.is_withheld && after && !after.is_withheld
  if (isReleased && result.keepVersions !== undefined) {
    await supersedeServed(sql, owner, result.keepVersions)
  }
  return after
}

/** Records the first read of an object that was just created, in the caller's transaction. */
export async function recordFirstRead(
  sql: Sql,
  key: string,
  { read, keepVersions }: { read: FirstRead | undefined; keepVersions: number },
): Promise<void> {
  if (read === undefined) return
  const { nextReadMs, ...hashes } = read
  await recordRead(sql, key, { ...hashes, dueAt: dueIn(sql, nextReadMs), keepVersions })
}

function dueIn(sql: Sql, ms: number): Fragment {
  return sql`now() + ${ms} * interval '1 ms'`
}

interface Owner {
  id: string
}

/** The asset whose version has this object, and the number of the version. The row of a replacement is not an asset. */
function ownerOf(sql: Sql, key: string): Fragment {
  const isAsset = sql`(status = 'ready' or trashed_at is not null)`
  return sql`
    select id, version from assets where object_key = ${key} and ${isAsset}
    union all
    select id, version from assets where id = ${key} and object_key is null and ${isAsset}
    union all
    select asset_id, version from asset_versions where object_key = ${key}`
}

/**
 * Locks the asset of an object, and its account, until the caller's transaction ends. Call it before the row of the checksum is locked: `finishSuperseded`
 * also locks the account first, so that the two cannot deadlock.
 */
async function lockOwner(sql: Sql, key: string): Promise<Owner | undefined> {
  const [owner] = await sql<(Owner & { account_id: string })[]>`
    select id, account_id from assets
    where id = (select id from (${ownerOf(sql, key)}) owner limit 1)
    for no key update`
  if (owner === undefined) return undefined
  await sql`select from accounts where id = ${owner.account_id} for no key update`
  return owner
}

/** Downloads get the object from now on. Removes the versions that were kept for them, also if the asset is in the trash. */
async function supersedeServed(sql: Sql, owner: Owner | undefined, keep: number): Promise<void> {
  if (owner === undefined) return
  await supersedeOldest(sql, VERIFICATION_JOB, { assetId: owner.id, keep })
}

/** Records that an object became damaged, or that it no longer is, in the caller's transaction. */
async function recordDamage(sql: Sql, key: string, isDamaged: boolean): Promise<void> {
  const member = isDamaged ? sql`'damagedVersion'` : sql`'repairedVersion'`
  const subjects = sql`
    select s.account_id, 1 as position, ${assetSnapshot(sql, sql`${member}, owner.version`)} as data
    from (${ownerOf(sql, key)}) owner join assets s on s.id = owner.id`
  const type = isDamaged ? 'asset.damaged' : 'asset.updated'
  await recordEvents(sql, { type, actor: VERIFICATION_JOB, subjects })
}

/**
 * Queues the checksums of new objects: `completed` has rows with the columns `id`, `bytes` and `chunk_size`. If a digest
 * was declared, downloads of the account `withheldFor` do not get the object until its bytes have that digest.
 */
export function queueChecksums(
  sql: Sql,
  completed: Fragment,
  withheldFor: string | null,
): Fragment {
  return sql`
    insert into checksums (object_key, bytes, chunk_size, queue, due_at)
    select id, bytes, chunk_size, 'new', now() from ${completed}
    on conflict (object_key) do update
    set bytes = excluded.bytes, queue = 'new', due_at = excluded.due_at,
      withheld_for = ${withheldFor}::uuid`
}

/** `queueChecksums` of objects whose bytes were read already. Call it only if none of them has another declared digest. */
export function addChecksums(sql: Sql, completed: Fragment, read: FirstRead): Fragment {
  const { sha256, crc32, nextReadMs } = read
  return sql`
    insert into checksums (object_key, bytes, chunk_size, sha256, crc32, verified_at, queue, due_at)
    select id, bytes, chunk_size, ${sha256}::text, ${crc32}::bigint, now(), 'scrub', ${dueIn(sql, nextReadMs)}
    from ${completed}
    on conflict (object_key) do update
    set bytes = excluded.bytes, crc32 = excluded.crc32, verified_at = excluded.verified_at,
      queue = excluded.queue, due_at = excluded.due_at`
}

/** Whether the client has declared another digest for an object. */
export function declaresOther(sql: Sql, key: string, sha256: string): Fragment {
  return sql`exists (select from checksums where object_key = ${key} and checksums.sha256 <> ${sha256})`
}

/** `ARRAY_TYPES` serializes neither dates nor flags. */
export async function importChecksums(
  sql: Sql,
  rows: ReturnType<typeof toChecksumColumns>,
): Promise<void> {
  await sql`
    insert into checksums
      (object_key, bytes, chunk_size, sha256, verified_at, damaged, withheld_for, queue, due_at)
    select key, bytes, chunk_size, sha256, verified_at, damaged = 1, withheld_for,
      case when withheld_for is null then 'backlog' else 'new' end, now()
    from unnest(
      ${rows.map((row) => row.object_key)}::uuid[], ${rows.map((row) => row.bytes)}::bigint[],
      ${rows.map((row) => row.chunk_size)}::bigint[], ${rows.map((row) => row.sha256)}::text[],
      ${rows.map((row) => row.verified_at?.toISOString() ?? null)}::timestamptz[],
      ${rows.map((row) => Number(row.damaged))}::int[], ${rows.map((row) => row.withheld_for)}::uuid[])
      as copied (key, bytes, chunk_size, sha256, verified_at, damaged, withheld_for)
    on conflict (object_key) do update set sha256 = coalesce(checksums.sha256, excluded.sha256),
      verified_at = coalesce(excluded.verified_at, checksums.verified_at),
      damaged = excluded.damaged,
      withheld_for = case when checksums.verified_at is null then excluded.withheld_for end,
      due_at = case when excluded.damaged then excluded.due_at else checksums.due_at end`
}
