import { toEventToken } from '../../domain/event.ts'
import type { NewUploadToken } from '../../domain/upload-token.ts'
import type { Reservation, TokenExceeded } from '../account-data.ts'
import type { AddedUploadToken } from '../idempotency-data.ts'
import {
  LATEST_TOKEN_MS,
  type TokenRow,
  tokenExcess,
  tokenGrowthExcess,
  toUploadToken,
} from '../shared/account-rows.ts'
import { toDate } from '../shared/rows.ts'
import { isTokenExpired } from '../shared/statements.ts'
import type { AccountMethods, Writer } from '../shared/wire-account-data.ts'
import type { DatabaseMethods } from '../shared/wire-database.ts'
import { lockProducts } from './attachments.ts'
import { type Fragment, inTransaction, readPageWithTotal, type Sql } from './connection.ts'
import { recordEvent } from './events.ts'
import { POSTGRES } from './rows.ts'

const IS_EXPIRED = isTokenExpired(POSTGRES)

/**
 * The new expiry of an upload, in an update of `assets`. It does not change if the token of the upload has expired:
 * otherwise the upload could be extended forever.
 */
export function extendedExpiry(sql: Sql, keptForMs: number): Fragment {
  return sql`case when assets.token_id is not null and exists (
      select from upload_tokens where upload_tokens.id = assets.token_id and ${sql.unsafe(IS_EXPIRED)})
    then assets.expires_at else now() + ${keptForMs} * interval '1 ms' end`
}

export function globalUploadTokens(sql: Sql): DatabaseMethods['uploadTokens'] {
  return {
    async forgetUploadTokens(keptForMs, limit) {
      const forgotten = await sql`
        delete from upload_tokens where id = any(array(
          select id from upload_tokens
          where (expires_at <= now() - ${keptForMs} * interval '1 ms'
              or expires_at > now() + ${LATEST_TOKEN_MS} * interval '1 ms')
            and not exists (
              select from assets where token_id = upload_tokens.id and status in ('uploading', 'completing'))
          limit ${limit} for update skip locked))`
      return forgotten.count
    },
  }
}

export function accountUploadTokens(sql: Sql, writer: Writer): AccountMethods['uploadTokens'] {
  const { account } = writer
  return {
    addUploadToken: (token, limits) =>
      inTransaction(sql, () => insertUploadToken(sql, writer, token, limits)),

    async listUploadTokens({ after, page, perPage }) {
      // The index of the tokens that have not expired: their number is limited, unlike that of the others.
      const isListed = sql`account_id = ${account} and revoked_at is null
        and expires_at > now() and expires_at <= now() + ${LATEST_TOKEN_MS} * interval '1 ms'`
      const beforeCursor = after === undefined ? sql`` : sql`and id < ${after.id}`
      const offset = after === undefined ? (page - 1) * perPage : 0
      const { rows, total } = await readPageWithTotal<TokenRow>(sql, {
        count: sql`select count(*) as total from upload_tokens where ${isListed}`,
        page: sql`
          select *, false as is_expired from upload_tokens where ${isListed} ${beforeCursor}
          order by id desc limit ${perPage} offset ${Math.min(offset, Number.MAX_SAFE_INTEGER)}`,
        order: sql`id desc`,
      })
      return { rows: rows.map(toUploadToken), total }
    },

    // Waits for the reservations that hold the token.
    revokeUploadToken: (id) =>
      inTransaction(sql, async () => {
        const [row] = await sql<TokenRow[]>`
          select *, true as is_expired from upload_tokens
          where id = ${id} and account_id = ${account} for no key update`
        if (row === undefined) return false
        if (row.revoked_at !== null) return true
        const [revoked] = await sql<Pick<TokenRow, 'expires_at'>[]>`
          update upload_tokens set revoked_at = clock_timestamp(),
            expires_at = least(expires_at, clock_timestamp())
          where id = ${id} returning expires_at`
        const expiresAt = toDate(revoked?.expires_at ?? row.expires_at)
        await recordEvent(sql, writer, 'token.revoked', toEventToken(toUploadToken(row), expiresAt))
        return true
      }),
  }
}

/** Adds a token, in the caller's transaction. */
export async function insertUploadToken(
  sql: Sql,
  writer: Writer,
  token: NewUploadToken,
  { lifetimeMs, maxTokens }: { lifetimeMs: number; maxTokens: number },
): Promise<AddedUploadToken> {
  const { account } = writer
  const { attach } = token
  const products = attach && (await lockProducts(sql, account, attach))
  if (products && !products.isComplete) {
    return { outcome: 'products_not_found', unknown: products.unknown }
  }
  // Locks the account, so that concurrent calls can't exceed the limit.
  await sql`select from accounts where id = ${account} for no key update`
  const [valid] = await sql<{ count: number }[]>`
    select count(*) as count from upload_tokens
    where account_id = ${account} and expires_at > clock_timestamp()`
  if ((valid?.count ?? 0) >= maxTokens) return { outcome: 'too_many' }
  const [row] = await sql<Pick<TokenRow, 'created_at' | 'expires_at'>[]>`
    insert into upload_tokens (id, account_id, hash, key_hash, created_at, expires_at, max_bytes,
      max_files, media_types, origin, attach, replaces, created_by_id, created_by_name)
    values (${token.id}, ${account}, ${token.hash}, ${token.keyHash}, now(),
      now() + ${lifetimeMs} * interval '1 ms', ${token.maxBytes}, ${token.maxFiles},
      ${token.mediaTypes}::text[], ${token.origin}, ${attach && JSON.stringify(attach)}::text::json,
      ${token.replaces}::uuid, ${token.createdBy?.id ?? null}::uuid, ${token.createdBy?.name ?? null})
    returning created_at, expires_at`
  if (row === undefined) throw new Error('the upload token was not stored')
  const expiresAt = toDate(row.expires_at)
  await recordEvent(sql, writer, 'token.created', toEventToken(token, expiresAt))
  return { outcome: 'added', createdAt: toDate(row.created_at), expiresAt }
}

type LockedToken = Pick<TokenRow, 'id' | 'max_bytes' | 'max_files' | 'is_expired' | 'expires_at'>

/** Makes concurrent uploads with the token wait until the caller's transaction ends. Undefined if it was forgotten. */
export async function lockToken(
  sql: Sql,
  account: string,
  id: string,
): Promise<LockedToken | undefined> {
  const [row] = await sql<LockedToken[]>`
    select id, max_bytes, max_files, expires_at, ${sql.unsafe(IS_EXPIRED)} as is_expired
    from upload_tokens where id = ${id} and account_id = ${account} for no key update`
  return row
}

/** Why the token does not allow the upload; undefined if it does. The caller's transaction has locked the token. */
export async function refuseToken(
  sql: Sql,
  token: LockedToken | undefined,
  bytes: number,
): Promise<Reservation | undefined> {
  if (token === undefined) return { outcome: 'token_expired', expiresAt: new Date() }
  if (token.is_expired) return { outcome: 'token_expired', expiresAt: toDate(token.expires_at) }
  // A separate statement, so that it sees uploads that were reserved while this call waited for the lock.
  const counting = sql`filter (where status not in ('cancelled', 'expired'))`
  const [used] = await sql<{ started: number; files: number; bytes: number }[]>`
    select count(*) as started, count(*) ${counting} as files,
      coalesce(sum(token_bytes) ${counting}, 0)::bigint as bytes
    from assets where token_id = ${token.id}`
  return tokenExcess(token, used, bytes)
}

/** The same for an upload that grows to these bytes. An expired token can still finish its uploads. */
export async function refuseTokenGrowth(
  sql: Sql,
  token: LockedToken | undefined,
  { id, bytes }: { id: string; bytes: number },
): Promise<TokenExceeded | undefined> {
  const [used] = await sql<{ bytes: number }[]>`
    select coalesce(sum(token_bytes), 0)::bigint as bytes from assets
    where token_id = ${token?.id ?? null} and id <> ${id} and status not in ('cancelled', 'expired')`
  return tokenGrowthExcess(token, used, bytes)
}
