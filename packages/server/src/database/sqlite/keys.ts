import type { KeyEventType } from '../../domain/event.ts'
import { endedCredential, type Key, type NewKey } from '../../domain/key.ts'
import type { NewSession, SessionLimits } from '../database.ts'
import { MAX_REVOKED_KEYS } from '../key-data.ts'
import { type KeyRow, toKey, toKeyEvent } from '../shared/account-rows.ts'
import { WINDOW_KEPT_MS } from '../shared/claim-times.ts'
import type { Writer } from '../shared/wire-account-data.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'

/** By the database's clock. */
const IS_ACTIVE = '(revoked_at is null and (expires_at is null or expires_at > :clock))'

export function prepareKeys(connection: Connection) {
  const { prepare, transaction, addNotice } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const insert = prepare<KeyRow>(
    `insert into keys (id, account_id, name, scope, hash, hint, created_at, expires_at)
     values (:id, :account, :name, :scope, :hash, :hint, :created_at, :expires_at) returning *`,
  )
  const revoke = prepare<KeyRow>(
    `update keys set revoked_at = :now
     where account_id = :account and id = :id and revoked_at is null and not (
       :keep_last and scope = 'manage' and 1 = (
         select count(*) from keys
         where account_id = :account and scope = 'manage' and ${IS_ACTIVE})
       and (expires_at is null or expires_at > :clock))
     returning *`,
  )
  const counts = prepare<{ active: number; ended: number }>(
    `select count(*) filter (where ${IS_ACTIVE}) as active, count(*) filter (where not ${IS_ACTIVE}) as ended
     from keys where account_id = :account`,
  )
  const removeOldest = prepare(
    `delete from keys where id in (
       select id from keys where account_id = :account and not ${IS_ACTIVE}
       order by coalesce(revoked_at, expires_at), id limit :excess)`,
  )
  const anyForgettable = prepare(
    'select 1 from keys where revoked_at < :before or expires_at < :before limit 1',
  )
  const forget = prepare(
    `delete from keys where id in (
       select id from keys where revoked_at < :before or expires_at < :before limit :limit)`,
  )
  const byId = prepare<KeyRow>('select * from keys where account_id = :account and id = :id')

  function record(writer: Writer, type: KeyEventType, row: KeyRow): void {
    recordEvent(writer, type, toKeyEvent(row))
  }

  return {
    forgetRevokedKeys(before: Date, limit: number): number {
      const time = { before: before.getTime() }
      // Reads first: a read is much cheaper than a write that changes nothing.
      return anyForgettable.get(time) === undefined ? 0 : forget.run({ ...time, limit })
    },
    addKey(
      writer: Writer,
      { createdAt, expiresAt, ...key }: NewKey,
      maxKeys: number,
    ): Key | undefined {
      const { account } = writer
      return transaction(() => {
        const clock = Date.now()
        const { active, ended } = counts.get({ account, clock }) ?? { active: 0, ended: 0 }
        if (active >= maxKeys) return undefined
        const excess = ended - MAX_REVOKED_KEYS
        if (excess > 0) removeOldest.run({ account, excess, clock })
        const row = insert.get({
          account,
          ...key,
          created_at: createdAt.getTime(),
          expires_at: expiresAt?.getTime() ?? null,
        })
        if (row === undefined) throw new Error('the key was not stored')
        record(writer, 'key.created', row)
        return toKey(row)
      })
    },
    revokeKey(
      writer: Writer,
      id: string,
      options: { now: Date; keepLast: boolean },
    ): 'revoked' | 'last_manage_key' | 'not_found' {
      const { account } = writer
      const now = options.now.getTime()
      return transaction(() => {
        const row = revoke.get({
          ...{ account, id, now, clock: Date.now() },
          keep_last: options.keepLast ? 1 : 0,
        })
        if (row !== undefined) {
          record(writer, 'key.revoked', row)
          addNotice(endedCredential(id))
          return 'revoked'
        }
        const known = byId.get({ account, id })
        if (known === undefined) return 'not_found'
        return known.revoked_at === null ? 'last_manage_key' : 'revoked'
      })
    },
  }
}

export function prepareSessions({ prepare, transaction, addNotice }: Connection) {
  const removeExpired = prepare('delete from sessions where expires_at <= :clock')
  const removeOldest = prepare(
    `delete from sessions where token_hash in (
       select token_hash from sessions where key_id = :key_id
       order by created_at desc, token_hash limit -1 offset :kept)`,
  )
  const insert = prepare(
    `insert into sessions (token_hash, key_id, key_hash, created_at, expires_at)
     values (:token_hash, :key_id, :key_hash, :clock, :expires_at)`,
  )
  const remove = prepare('delete from sessions where token_hash = :token_hash')

  return {
    addSession({ tokenHash, keyId, keyHash }: NewSession, limits: SessionLimits): Date {
      const clock = Date.now()
      const expires_at = clock + limits.lifetimeMs
      removeExpired.run({ clock })
      removeOldest.run({ key_id: keyId, kept: limits.maxPerKey - 1 })
      insert.run({ token_hash: tokenHash, key_id: keyId, key_hash: keyHash, clock, expires_at })
      return new Date(expires_at)
    },
    removeSession(tokenHash: string): void {
      transaction(() => {
        remove.run({ token_hash: tokenHash })
        addNotice(endedCredential(tokenHash))
      })
    },
  }
}

/**
 * Counts in memory: only one process serves requests, and a count in the file would need a synced
 * commit per request.
 */
export function countRequestsInMemory() {
  const windows = new Map<number, Map<string, number>>()

  function startWindow(start: number): Map<string, number> {
    for (const earlier of windows.keys()) {
      if (earlier < start - WINDOW_KEPT_MS) windows.delete(earlier)
    }
    const counts = new Map<string, number>()
    windows.set(start, counts)
    return counts
  }

  return (
    { keyId, group, limit }: { keyId: string; group: string; limit: number },
    windowStart: Date,
  ) => {
    const start = windowStart.getTime()
    const counts = windows.get(start) ?? startWindow(start)
    const countOne = (who: string) => {
      const count = (counts.get(who) ?? 0) + 1
      counts.set(who, count)
      return count
    }
    const ofKey = countOne(keyId)
    return { ofKey, ofGroup: ofKey > limit ? (counts.get(group) ?? 0) : countOne(group) }
  }
}
