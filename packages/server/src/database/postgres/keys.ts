import type { KeyEventType } from '../../domain/event.ts'
import { endedCredential, type Key, type NewKey } from '../../domain/key.ts'
import type { Database } from '../database.ts'
import { MAX_REVOKED_KEYS } from '../key-data.ts'
import { type KeyRow, type SessionRow, toKey, toKeyEvent } from '../shared/account-rows.ts'
import { WINDOW_KEPT_MS } from '../shared/claim-times.ts'
import { toDate } from '../shared/rows.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { inTransaction, type Sql } from './connection.ts'
import { recordEvent } from './events.ts'
import { addNotice } from './unit-of-work.ts'

export function globalKeys(sql: Sql): DatabaseMethods['keys'] {
  return {
    async forgetRevokedKeys(before, limit) {
      const forgotten = await sql`
        delete from keys where id = any(array(
          select id from keys where revoked_at < ${before} or expires_at < ${before}
          limit ${limit} for update skip locked))`
      return forgotten.count
    },
  }
}

export function accountKeys(sql: Sql, writer: Writer): AccountMethods['keys'] {
  const { account } = writer

  function record(type: KeyEventType, row: KeyRow): Promise<void> {
    return recordEvent(sql, writer, type, toKeyEvent(row))
  }

  return {
    addKey: (key, maxKeys) => inTransaction(sql, () => insertKey(sql, writer, key, maxKeys)),
    revokeKey: (keyId, { now, keepLast }) =>
      inTransaction(sql, async () => {
        // Locks all manage keys, so that concurrent calls can't revoke the last two.
        const keys = await sql<(KeyRow & { is_expired: boolean })[]>`
          select *, (expires_at is not null and expires_at <= now()) as is_expired from keys where account_id = ${account}
            and (id = ${keyId} or (scope = 'manage' and revoked_at is null))
          order by id for update`
        const key = keys.find(({ id }) => id === keyId)
        if (key === undefined) return 'not_found'
        const working = keys.filter(
          ({ scope, revoked_at, is_expired }) => scope === 'manage' && !revoked_at && !is_expired,
        )
        const isLast = working.length === 1 && working[0]?.id === keyId
        if (keepLast && isLast) return 'last_manage_key'
        if (key.revoked_at !== null) return 'revoked'
        const [row] = await sql<KeyRow[]>`
          update keys set revoked_at = ${now} where id = ${keyId} returning *`
        if (row !== undefined) await record('key.revoked', row)
        addNotice(sql, endedCredential(keyId))
        return 'revoked'
      }),
  }
}

/** Adds a key, in the caller's transaction. */
export async function insertKey(
  sql: Sql,
  writer: Writer,
  key: NewKey,
  maxKeys: number,
): Promise<Key | undefined> {
  const { account } = writer
  // Locks the account, so that concurrent calls can't exceed the limit.
  await sql`select from accounts where id = ${account} for no key update`
  const isActive = sql`(revoked_at is null and (expires_at is null or expires_at > now()))`
  const [counts] = await sql<{ active: number; ended: number }[]>`
    select count(*) filter (where ${isActive}) as active, count(*) filter (where not ${isActive}) as ended
    from keys where account_id = ${account}`
  const { active, ended } = { active: 0, ended: 0, ...counts }
  if (active >= maxKeys) return undefined
  if (ended > MAX_REVOKED_KEYS) {
    // Rows that a job is removing are skipped, so that no deadlock can occur.
    await sql`
      delete from keys where id = any(array(
        select id from keys where account_id = ${account} and not ${isActive}
        order by coalesce(revoked_at, expires_at), id limit ${ended - MAX_REVOKED_KEYS} for update skip locked))`
  }
  const [row] = await sql<KeyRow[]>`
    insert into keys (id, account_id, name, scope, hash, hint, created_at, expires_at)
    values (${key.id}, ${account}, ${key.name}, ${key.scope}, ${key.hash}, ${key.hint},
      ${key.createdAt}, ${key.expiresAt ?? null})
    returning *`
  if (row === undefined) throw new Error('the key was not stored')
  await recordEvent(sql, writer, 'key.created', toKeyEvent(row))
  return toKey(row)
}

export function globalSessions(sql: Sql): DatabaseMethods['sessions'] {
  return {
    addSession: ({ tokenHash, keyId, keyHash }, { lifetimeMs, maxPerKey }) =>
      inTransaction(sql, async () => {
        // Rows that another call is removing are skipped, so that no deadlock can occur.
        await sql`
          delete from sessions where token_hash in (
            select token_hash from sessions where expires_at <= now() for update skip locked)`
        await sql`
          delete from sessions where token_hash in (
            select token_hash from sessions where key_id = ${keyId}
            order by created_at desc, token_hash offset ${maxPerKey - 1}
            for update skip locked)`
        const [row] = await sql<Pick<SessionRow, 'expires_at'>[]>`
          insert into sessions (token_hash, key_id, key_hash, created_at, expires_at)
          values (${tokenHash}, ${keyId}, ${keyHash}, now(), now() + ${lifetimeMs} * interval '1 ms')
          returning expires_at`
        if (row === undefined) throw new Error('the session was not stored')
        return toDate(row.expires_at)
      }),
    async removeSession(tokenHash) {
      await sql`delete from sessions where token_hash = ${tokenHash}`
      addNotice(sql, endedCredential(tokenHash))
    },
  }
}

/** Counts in the database, for all instances together. */
export function globalRequestCount(sql: Sql): Pick<Database, 'countRequest'> {
  return {
    async countRequest({ keyId, group, limit }, windowStart) {
      // Locks the key's row before the group's, so that no deadlock can occur.
      const [row] = await sql<{ of_key: number; of_group: number }[]>`
        with of_key as (
          insert into request_counts (who, window_start, count) values (${keyId}, ${windowStart}, 1)
          on conflict (who, window_start) do update set count = request_counts.count + 1
          returning count
        ), of_group as (
          insert into request_counts (who, window_start, count)
          select ${group}, ${windowStart}, 1 from of_key where of_key.count <= ${limit}
          on conflict (who, window_start) do update set count = request_counts.count + 1
          returning count
        )
        select of_key.count as of_key, coalesce((select count from of_group), (
            select count from request_counts where who = ${group} and window_start = ${windowStart}
          ), 0) as of_group
        from of_key`
      const { of_key: ofKey, of_group: ofGroup } = { of_key: 1, of_group: 1, ...row }
      // The first request of a window deletes old windows, unless another call is deleting them.
      if (ofKey === 1) {
        const oldest = new Date(windowStart.getTime() - WINDOW_KEPT_MS)
        await sql`
          delete from request_counts where (who, window_start) in (
            select who, window_start from request_counts where window_start < ${oldest}
            for update skip locked)`
      }
      return { ofKey, ofGroup }
    },
  }
}
