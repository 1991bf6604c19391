import type { KeyEventType } from '../../domain/event.ts'
import { endedCredential, type Key, type NewKey } from '../../domain/key.ts'
import type { Writer } from '../cache-account-data.ts'
import { MAX_REVOKED_KEYS } from '../key-data.ts'
import { prepareRecordEvents } from './record-events.ts'
import type { Connection } from './statement.ts'

interface KeyRow {
  id: string
  account_id: string
  name: string
  scope: Key['scope']
  hash: string
  hint: string
  created_at: number
  last_used_at: number | null
  revoked_at: number | null
}

function toDate(time: number | null): Date | null {
  return time === null ? null : new Date(time)
}

function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scope: row.scope,
    hash: row.hash,
    hint: row.hint,
    createdAt: new Date(row.created_at),
    lastUsedAt: toDate(row.last_used_at),
    revokedAt: toDate(row.revoked_at),
  }
}

export function prepareKeys(connection: Connection) {
  const { prepare, transaction, markEvents } = connection
  const { recordEvent } = prepareRecordEvents(connection)
  const insert = prepare<KeyRow>(
    `insert into keys (id, account_id, name, scope, hash, hint, created_at)
     values (:id, :account, :name, :scope, :hash, :hint, :created_at) returning *`,
  )
  const byHash = prepare<KeyRow>('select * from keys where hash = :hash')
  const all = prepare<KeyRow>('select * from keys where account_id = :account order by id')
  const touch = prepare('update keys set last_used_at = :now where id = :id')
  const revoke = prepare<KeyRow>(
    `update keys set revoked_at = :now
     where account_id = :account and id = :id and revoked_at is null and not (
       :keep_last and scope = 'manage' and 1 = (
         select count(*) from keys
         where account_id = :account and scope = 'manage' and revoked_at is null))
     returning *`,
  )
  const counts = prepare<{ active: number; revoked: number }>(
    `select count(*) filter (where revoked_at is null) as active, count(revoked_at) as revoked
     from keys where account_id = :account`,
  )
  const removeOldest = prepare(
    `delete from keys where id in (
       select id from keys where account_id = :account and revoked_at is not null
       order by revoked_at, id limit :excess)`,
  )
  const anyForgettable = prepare('select 1 from keys where revoked_at < :before limit 1')
  const forget = prepare(
    'delete from keys where id in (select id from keys where revoked_at < :before limit :limit)',
  )
  const byId = prepare<KeyRow>('select * from keys where account_id = :account and id = :id')

  function record(writer: Writer, type: KeyEventType, row: KeyRow): void {
    const { hash, accountId, ...key } = toKey(row)
    recordEvent(writer, type, key)
  }

  return {
    findKey(hash: string): Key | undefined {
      const row = byHash.get({ hash })
      return row && toKey(row)
    },
    touchKey(id: string, now: Date): void {
      touch.run({ id, now: now.getTime() })
    },
    forgetRevokedKeys(before: Date, limit: number): number {
      const time = { before: before.getTime() }
      // Reads first: a read is much cheaper than a write that changes nothing.
      return anyForgettable.get(time) === undefined ? 0 : forget.run({ ...time, limit })
    },
    addKey(writer: Writer, { createdAt, ...key }: NewKey, maxKeys: number): Key | undefined {
      const { account } = writer
      return transaction(() => {
        const { active, revoked } = counts.get({ account }) ?? { active: 0, revoked: 0 }
        if (active >= maxKeys) return undefined
        const excess = revoked - MAX_REVOKED_KEYS
        if (excess > 0) removeOldest.run({ account, excess })
        const row = insert.get({ account, ...key, created_at: createdAt.getTime() })
        if (row === undefined) throw new Error('the key was not stored')
        record(writer, 'key.created', row)
        return toKey(row)
      })
    },
    listKeys: (account: string): Key[] => all.all({ account }).map(toKey),
    revokeKey(
      writer: Writer,
      id: string,
      options: { now: Date; keepLast: boolean },
    ): 'revoked' | 'last_manage_key' | 'not_found' {
      const { account } = writer
      const now = options.now.getTime()
      return transaction(() => {
        const row = revoke.get({ account, id, now, keep_last: options.keepLast ? 1 : 0 })
        if (row !== undefined) {
          record(writer, 'key.revoked', row)
          markEvents(endedCredential(id))
          return 'revoked'
        }
        const known = byId.get({ account, id })
        if (known === undefined) return 'not_found'
        return known.revoked_at === null ? 'last_manage_key' : 'revoked'
      })
    },
  }
}
