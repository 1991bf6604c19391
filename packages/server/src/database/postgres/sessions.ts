import { endedCredential } from '../../domain/key.ts'
import type { Database } from '../database.ts'
import { begin, type Sql } from './connection.ts'
import { markEvents } from './event-marks.ts'

interface SessionRow {
  key_hash: string
  expires_at: Date
}

type Sessions = Pick<Database, 'addSession' | 'findSession' | 'removeSession'>

export function globalSessions(sql: Sql): Sessions {
  return {
    addSession: ({ tokenHash, keyId, keyHash }, { lifetimeMs, maxPerKey }) =>
      begin(sql, async (transaction) => {
        // Rows that another call is removing are skipped, so that no deadlock can occur.
        await transaction`
          delete from sessions where token_hash in (
            select token_hash from sessions where expires_at <= now() for update skip locked)`
        await transaction`
          delete from sessions where token_hash in (
            select token_hash from sessions where key_id = ${keyId}
            order by created_at desc, token_hash offset ${maxPerKey - 1}
            for update skip locked)`
        const [row] = await transaction<Pick<SessionRow, 'expires_at'>[]>`
          insert into sessions (token_hash, key_id, key_hash, created_at, expires_at)
          values (${tokenHash}, ${keyId}, ${keyHash}, now(), now() + ${lifetimeMs} * interval '1 ms')
          returning expires_at`
        if (row === undefined) throw new Error('the session was not stored')
        return row.expires_at
      }),
    async findSession(tokenHash) {
      const [row] = await sql<SessionRow[]>`
        select key_hash, expires_at from sessions
        where token_hash = ${tokenHash} and expires_at > now()`
      return row && { keyHash: row.key_hash, expiresAt: row.expires_at }
    },
    async removeSession(tokenHash) {
      await sql`delete from sessions where token_hash = ${tokenHash}`
      markEvents(sql, endedCredential(tokenHash))
    },
  }
}
