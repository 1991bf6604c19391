import type { Key, NewKey } from '../../domain/key.ts'
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

export function prepareKeys({ prepare }: Connection) {
  const insert = prepare<KeyRow>(
    `insert into keys (id, account_id, name, scope, hash, hint, created_at)
     values (:id, :account, :name, :scope, :hash, :hint, :created_at) returning *`,
  )
  const byHash = prepare<KeyRow>('select * from keys where hash = :hash')
  const all = prepare<KeyRow>('select * from keys where account_id = :account order by id')
  const touch = prepare('update keys set last_used_at = :now where id = :id')
  const revoke = prepare(
    `update keys set revoked_at = coalesce(revoked_at, :now)
     where account_id = :account and id = :id and not (
       :keep_last and scope = 'manage' and revoked_at is null and 1 = (
         select count(*) from keys
         where account_id = :account and scope = 'manage' and revoked_at is null))`,
  )
  const exists = prepare<{ id: string }>(
    'select id from keys where account_id = :account and id = :id',
  )

  return {
    findKey(hash: string): Key | undefined {
      const row = byHash.get({ hash })
      return row && toKey(row)
    },
    touchKey(id: string, now: Date): void {
      touch.run({ id, now: now.getTime() })
    },
    addKey(account: string, { createdAt, ...key }: NewKey): Key {
      const row = insert.get({ account, ...key, created_at: createdAt.getTime() })
      if (row === undefined) throw new Error('the key was not stored')
      return toKey(row)
    },
    listKeys: (account: string): Key[] => all.all({ account }).map(toKey),
    revokeKey(account: string, id: string, options: { now: Date; keepLast: boolean }) {
      const now = options.now.getTime()
      const changed = revoke.run({ account, id, now, keep_last: options.keepLast ? 1 : 0 })
      if (changed === 1) return 'revoked' as const
      const isKnown = exists.get({ account, id }) !== undefined
      return isKnown ? ('last_manage_key' as const) : ('not_found' as const)
    },
  }
}
