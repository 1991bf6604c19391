import type { AccountState, FoundKey, Key } from '../../domain/key.ts'
import type { ProductSelection } from '../../domain/product.ts'
import {
  MAX_TOKEN_LIFETIME_MS,
  maxStartedUploads,
  type UploadToken,
} from '../../domain/upload-token.ts'
import type { TypeUsage } from '../../domain/usage.ts'
import type { TokenExceeded } from '../account-data.ts'
import type { Account, NewAccount, Session, UsageComparison } from '../database.ts'
import { MAX_FUTURE_MS } from './claim-times.ts'
import { type Flag, fromJson, type Json, type Time, toDate, toDateOrNull } from './rows.ts'

interface AccountRow {
  id: string
  name: string
  plan_name: string
  plan_storage: number
  plan_assets: number | null
  created_at: Time
  suspended_at: Time | null
  delete_at: Time | null
  removal_started_at: Time | null
}

export function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    planName: row.plan_name,
    planStorage: row.plan_storage,
    planAssets: row.plan_assets,
    createdAt: toDate(row.created_at),
    suspendedAt: toDateOrNull(row.suspended_at),
    deleteAt: toDateOrNull(row.delete_at),
    removalStartedAt: toDateOrNull(row.removal_started_at),
  }
}

/** A new account is active. */
export function newAccount(account: NewAccount): Account {
  return { planAssets: null, ...account, suspendedAt: null, deleteAt: null, removalStartedAt: null }
}

export interface UsageRow {
  id: string
  stored_bytes: number
  reserved_bytes: number
  superseded_bytes: number
  trash_bytes: number
  asset_count: number
  /** Null for an account without assets. */
  counted_types: Json<TypeUsage[]> | null
  actual_stored: number
  actual_reserved: number
  actual_superseded: number
  actual_trash: number
  actual_assets: number
  actual_types: Json<TypeUsage[]> | null
  wrong_blocks: number
  wrong_tags: number
}

export function toComparison(row: UsageRow): UsageComparison {
  return {
    accountId: row.id,
    counted: {
      stored: row.stored_bytes,
      reserved: row.reserved_bytes,
      superseded: row.superseded_bytes,
      trash: row.trash_bytes,
      assets: row.asset_count,
      types: fromJson(row.counted_types ?? []),
    },
    actual: {
      stored: row.actual_stored,
      reserved: row.actual_reserved,
      superseded: row.actual_superseded,
      trash: row.actual_trash,
      assets: row.actual_assets,
      types: fromJson(row.actual_types ?? []),
    },
    wrongBlocks: row.wrong_blocks,
    wrongTags: row.wrong_tags,
  }
}

export interface KeyRow {
  id: string
  account_id: string
  name: string
  scope: Key['scope']
  hash: string
  hint: string
  created_at: Time
  last_used_at: Time | null
  revoked_at: Time | null
  expires_at: Time | null
}

export function toKey(row: KeyRow): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scope: row.scope,
    hash: row.hash,
    hint: row.hint,
    createdAt: toDate(row.created_at),
    expiresAt: toDateOrNull(row.expires_at),
    lastUsedAt: toDateOrNull(row.last_used_at),
    revokedAt: toDateOrNull(row.revoked_at),
  }
}

export interface FoundKeyRow extends KeyRow {
  is_expired: Flag
  account_state: AccountState
}

export function toFoundKey(row: FoundKeyRow): FoundKey {
  return { ...toKey(row), isExpired: Boolean(row.is_expired), accountState: row.account_state }
}

/** The data of the events of a key. */
export function toKeyEvent(row: KeyRow): Omit<Key, 'hash' | 'accountId'> {
  const { hash, accountId, ...key } = toKey(row)
  return key
}

/** The columns of an imported key. */
export function toKeyColumns(
  account: string,
  key: Key,
): Record<keyof KeyRow, string | Date | null> {
  return {
    id: key.id,
    account_id: account,
    name: key.name,
    scope: key.scope,
    hash: key.hash,
    hint: key.hint,
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    revoked_at: key.revokedAt,
    expires_at: key.expiresAt,
  }
}

export interface SessionRow {
  key_hash: string
  expires_at: Time
}

export function toSession(row: SessionRow): Session {
  return { keyHash: row.key_hash, expiresAt: toDate(row.expires_at) }
}

export interface TokenRow {
  id: string
  account_id: string
  hash: string
  key_hash: string
  created_by_id: string | null
  created_by_name: string | null
  created_at: Time
  expires_at: Time
  revoked_at: Time | null
  is_expired: Flag
  max_bytes: number
  max_files: number
  media_types: Json<string[]> | null
  origin: string | null
  attach: Json<ProductSelection> | null
  replaces: string | null
}

/** A token with more time than this until it expires was created while the clock was ahead. */
export const LATEST_TOKEN_MS = MAX_TOKEN_LIFETIME_MS + MAX_FUTURE_MS

export function toUploadToken(row: TokenRow): UploadToken {
  const { created_by_id, created_by_name } = row
  return {
    id: row.id,
    accountId: row.account_id,
    hash: row.hash,
    keyHash: row.key_hash,
    createdBy: created_by_name === null ? null : { id: created_by_id, name: created_by_name },
    createdAt: toDate(row.created_at),
    expiresAt: toDate(row.expires_at),
    revokedAt: toDateOrNull(row.revoked_at),
    isExpired: Boolean(row.is_expired),
    maxBytes: row.max_bytes,
    maxFiles: row.max_files,
    mediaTypes: row.media_types === null ? null : fromJson(row.media_types),
    origin: row.origin,
    attach: row.attach === null ? null : fromJson(row.attach),
    replaces: row.replaces,
  }
}

export interface IdempotencyRow {
  digest: string
  resource_id: string
  nonce: string
}

/** The outcome of a call whose key is known. */
export function toRepetition({ digest, resource_id, nonce }: IdempotencyRow, given: string) {
  return digest === given
    ? ({ outcome: 'repeated', id: resource_id, nonce } as const)
    : ({ outcome: 'key_reused' } as const)
}

/** Whether a creation has created something, rather than refused to. */
export function isAdded(added: unknown): boolean {
  if (typeof added === 'string') return added === 'added'
  if (typeof added === 'object' && added !== null && 'outcome' in added) {
    return added.outcome === 'added'
  }
  return added !== undefined
}

/** Why a token does not allow an upload of these bytes; undefined if it does. `used` counts its other uploads. */
export function tokenExcess(
  { max_bytes, max_files }: Pick<TokenRow, 'max_bytes' | 'max_files'>,
  used: { started: number; files: number; bytes: number } | undefined,
  bytes: number,
): TokenExceeded | undefined {
  const { started, files, bytes: usedBytes } = used ?? { started: 0, files: 0, bytes: 0 }
  const starts = maxStartedUploads(max_files) - started
  const remaining = {
    bytes: Math.max(0, max_bytes - usedBytes),
    files: Math.max(0, Math.min(max_files - files, starts)),
  }
  const fits = remaining.files > 0 && bytes <= remaining.bytes
  return fits ? undefined : { outcome: 'token_exceeded', remaining }
}

/** The same for an upload that grows to these bytes. It has started already. */
export function tokenGrowthExcess(
  token: Pick<TokenRow, 'max_bytes'> | undefined,
  used: { bytes: number } | undefined,
  bytes: number,
): TokenExceeded | undefined {
  const remaining = { bytes: Math.max(0, (token?.max_bytes ?? 0) - (used?.bytes ?? 0)), files: 1 }
  return bytes <= remaining.bytes ? undefined : { outcome: 'token_exceeded', remaining }
}
