import { endedCredential } from '../../domain/key.ts'
import type { NewSession, Session, SessionLimits } from '../database.ts'
import type { Connection } from './statement.ts'

interface SessionRow {
  key_hash: string
  expires_at: number
}

export function prepareSessions({ prepare, transaction, markEvents }: Connection) {
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
  const byToken = prepare<SessionRow>(
    `select key_hash, expires_at from sessions
     where token_hash = :token_hash and expires_at > :clock`,
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
    findSession(tokenHash: string): Session | undefined {
      const row = byToken.get({ token_hash: tokenHash, clock: Date.now() })
      return row && { keyHash: row.key_hash, expiresAt: new Date(row.expires_at) }
    },
    removeSession(tokenHash: string): void {
      transaction(() => {
        remove.run({ token_hash: tokenHash })
        markEvents(endedCredential(tokenHash))
      })
    },
  }
}
