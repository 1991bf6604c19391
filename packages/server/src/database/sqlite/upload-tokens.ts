import { toEventToken } from '../../domain/event.ts'
import { rowRangeOf } from '../../domain/paging.ts'
import type { NewUploadToken, UploadToken } from '../../domain/upload-token.ts'
import type { Reservation, Rows, TokenExceeded, UploadTokenQuery } from '../account-data.ts'
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
import type { Writer } from '../shared/wire-account-data.ts'
import { prepareProductSelection } from './attachments.ts'
import type { Connection } from './connection.ts'
import { prepareRecordEvents } from './events.ts'
import { SQLITE } from './rows.ts'

/**
 * The new expiry of an upload, in an update of `assets` at `:now`. It does not change if the token of the upload has
 * expired: otherwise the upload could be extended forever.
 */
export const EXTENDED_EXPIRY = `iif(token_id is not null and exists (
    select 1 from upload_tokens t where t.id = assets.token_id
      and (t.revoked_at is not null or t.expires_at <= :now or t.expires_at > :now + ${LATEST_TOKEN_MS})),
  expires_at, :expires_at)`

export function prepareUploadTokens(connection: Connection) {
  const { prepare, transaction } = connection
  const findProducts = prepareProductSelection(connection)
  const { recordEvent } = prepareRecordEvents(connection)
  const insert = prepare(
    `insert into upload_tokens (id, account_id, hash, key_hash, created_at, expires_at, max_bytes, max_files,
       media_types, origin, attach, replaces, created_by_id, created_by_name)
     values (:id, :account, :hash, :key_hash, :clock, :expires_at, :max_bytes, :max_files, :media_types,
       :origin, :attach, :replaces, :created_by_id, :created_by_name)`,
  )
  const countValid = prepare<{ count: number }>(
    'select count(*) as count from upload_tokens where account_id = :account and expires_at > :clock',
  )
  // Reads the index of the tokens that have not expired: their number is limited, unlike that of the others.
  const isListed = `account_id = :account and revoked_at is null
    and expires_at > :clock and expires_at <= :clock + ${LATEST_TOKEN_MS}`
  const countListed = prepare<{ count: number }>(
    `select count(*) as count from upload_tokens where ${isListed}`,
  )
  const revoke = prepare<TokenRow>(
    `update upload_tokens set revoked_at = :clock, expires_at = min(expires_at, :clock)
     where id = :id and account_id = :account and revoked_at is null returning *, 1 as is_expired`,
  )
  const own = prepare<TokenRow>(
    `select *, ${isTokenExpired(SQLITE)} as is_expired from upload_tokens
     where id = :id and account_id = :account`,
  )
  const counting = `filter (where status not in ('cancelled', 'expired'))`
  const used = prepare<{ started: number; files: number; bytes: number }>(
    `select count(*) as started, count(*) ${counting} as files,
       coalesce(sum(token_bytes) ${counting}, 0) as bytes
     from assets where token_id = :id`,
  )
  const usedByOthers = prepare<{ bytes: number }>(
    `select coalesce(sum(token_bytes) ${counting}, 0) as bytes
     from assets where token_id = :id and id <> :upload`,
  )
  const isForgettable = `(expires_at <= :before or expires_at > :latest) and not exists (
    select 1 from assets where token_id = upload_tokens.id and status in ('uploading', 'completing'))`
  const anyForgettable = prepare(`select 1 from upload_tokens where ${isForgettable} limit 1`)
  const forget = prepare(
    `delete from upload_tokens where id in (
       select id from upload_tokens where ${isForgettable} limit :limit)`,
  )

  return {
    addUploadToken(
      writer: Writer,
      token: NewUploadToken,
      { lifetimeMs, maxTokens }: { lifetimeMs: number; maxTokens: number },
    ): AddedUploadToken {
      const { account } = writer
      const { attach, mediaTypes } = token
      return transaction(() => {
        const products = attach && findProducts(account, attach)
        if (products && !products.isComplete) {
          return { outcome: 'products_not_found', unknown: products.unknown }
        }
        const clock = Date.now()
        const valid = countValid.get({ account, clock })?.count ?? 0
        if (valid >= maxTokens) return { outcome: 'too_many' }
        insert.run({
          id: token.id,
          account,
          hash: token.hash,
          key_hash: token.keyHash,
          clock,
          expires_at: clock + lifetimeMs,
          max_bytes: token.maxBytes,
          max_files: token.maxFiles,
          media_types: mediaTypes && JSON.stringify(mediaTypes),
          origin: token.origin,
          attach: attach && JSON.stringify(attach),
          replaces: token.replaces,
          created_by_id: token.createdBy?.id ?? null,
          created_by_name: token.createdBy?.name ?? null,
        })
        const expiresAt = new Date(clock + lifetimeMs)
        recordEvent(writer, 'token.created', toEventToken(token, expiresAt))
        return { outcome: 'added', createdAt: new Date(clock), expiresAt }
      })
    },

    listUploadTokens({ account }: Writer, query: UploadTokenQuery): Rows<UploadToken> {
      const { after } = query
      const clock = Date.now()
      const total = countListed.get({ account, clock })?.count ?? 0
      const { isFromEnd, offset, limit } = rowRangeOf(query, total)
      if (limit === 0) return { rows: [], total }
      const page = prepare<TokenRow>(
        `select *, 0 as is_expired from upload_tokens
         where ${isListed} ${after === undefined ? '' : 'and id < :after'}
         order by id ${isFromEnd ? 'asc' : 'desc'} limit +:limit offset :offset`,
      )
      const cursor = after && { after: after.id }
      const rows = page.all({ account, clock, ...cursor, limit, offset }).map(toUploadToken)
      return { rows: isFromEnd ? rows.reverse() : rows, total }
    },

    revokeUploadToken(writer: Writer, id: string): boolean {
      const { account } = writer
      return transaction(() => {
        const clock = Date.now()
        const row = revoke.get({ account, id, clock })
        if (row === undefined) return own.get({ account, id, clock }) !== undefined
        const token = toUploadToken(row)
        recordEvent(writer, 'token.revoked', toEventToken(token, token.expiresAt))
        return true
      })
    },

    forgetUploadTokens(keptForMs: number, limit: number): number {
      const clock = Date.now()
      const times = { before: clock - keptForMs, latest: clock + LATEST_TOKEN_MS }
      // Reads first: a read is much cheaper than a write that changes nothing.
      return anyForgettable.get(times) === undefined ? 0 : forget.run({ ...times, limit })
    },

    /** Why the token does not allow the upload; undefined if it does. Runs in the caller's transaction. */
    refuseToken(account: string, id: string, bytes: number): Reservation | undefined {
      const row = own.get({ account, id, clock: Date.now() })
      if (row === undefined) return { outcome: 'token_expired', expiresAt: new Date() }
      if (row.is_expired) return { outcome: 'token_expired', expiresAt: toDate(row.expires_at) }
      return tokenExcess(row, used.get({ id }), bytes)
    },

    /** The same for an upload that grows to these bytes. An expired token can still finish its uploads. */
    refuseTokenGrowth(
      account: string,
      id: string,
      upload: { id: string; bytes: number },
    ): TokenExceeded | undefined {
      const token = own.get({ account, id, clock: Date.now() })
      return tokenGrowthExcess(token, usedByOthers.get({ id, upload: upload.id }), upload.bytes)
    },
  }
}
