import {
  type Asset,
  type AssetStatus,
  type AssetVersion,
  type Integrity,
  NOT_VERIFIED,
  type Upload,
} from '../../domain/asset.ts'
import { pathOfStored, searchPath, storedFolder } from '../../domain/names.ts'
import { foldText, sortName } from '../../domain/search.ts'
import { foldTag } from '../../domain/tags.ts'
import { type AssetRecord, filesOf } from '../account-data.ts'
import type { AssetState, Removal, StoredFile, Verification } from '../database.ts'

/** SQLite stores milliseconds. */
export type Time = Date | number
/** SQLite stores 0 and 1. */
export type Flag = boolean | number
/** SQLite stores the text. */
export type Json<Value extends object> = Value | string

/** A value of a parameter. Each engine converts it to what it stores. */
export type Value = string | number | boolean | Date | null | readonly string[] | readonly number[]

export function toDate(time: Time): Date {
  return time instanceof Date ? time : new Date(time)
}

export function toDateOrNull(time: Time | null): Date | null {
  return time === null ? null : toDate(time)
}

export function fromJson<Value extends object>(json: Json<Value>): Value {
  return typeof json === 'string' ? JSON.parse(json) : json
}

export interface AssetRow {
  id: string
  account_id: string
  kind: Asset['kind']
  status: AssetStatus
  filename: string
  bytes: number
  mime: string
  url: string | null
  created_at: Time
  folder: string | null
  version: number
  updated_at: Time | null
  /** Null if it has none. */
  tags: Json<string[]> | null
  inline: Flag
  /** Undefined if the statement does not read it. */
  checksum?: Json<Checksum> | null
}

/** The digest, when it was verified, and whether the object is damaged and withheld from downloads. */
type Checksum = [string | null, string | number | null, Flag, Flag]

export interface UploadRow extends AssetRow {
  upload_id: string
  storage_id: string | null
  chunk_size: number
  expires_at: Time
  started_by_id: string | null
  started_by_name: string | null
  object_key: string | null
  replaces: string | null
  keeps_name: Flag
  became_version: number | null
  token_id: string | null
}

/** The columns of `AssetRow` except the checksum. */
export const ASSET_COLUMNS =
  'id, account_id, kind, status, filename, bytes, mime, url, created_at, folder, version, updated_at, tags, inline'.split(
    ', ',
  )
export const UPLOAD_COLUMNS = [
  ...ASSET_COLUMNS,
  ...'upload_id, storage_id, chunk_size, expires_at, started_by_id, started_by_name'.split(', '),
  ...'object_key, replaces, keeps_name, became_version, token_id'.split(', '),
]

export function toAsset(row: AssetRow): Asset {
  return toAssetOf(row.account_id, row.status, row)
}

/** For lists, which do not read the columns that all of their rows have in common. */
export function toAssetOf(
  accountId: string,
  status: AssetStatus,
  row: Omit<AssetRow, 'account_id' | 'status'>,
): Asset {
  return {
    id: row.id,
    accountId,
    kind: row.kind,
    status,
    filename: row.filename,
    bytes: row.bytes,
    mime: row.mime,
    url: row.url,
    createdAt: toDate(row.created_at),
    updatedAt: toDate(row.updated_at ?? row.created_at),
    version: row.version,
    path: pathOfStored(row.folder),
    tags: fromJson(row.tags ?? []),
    isInline: Boolean(row.inline),
    integrity: toIntegrity(row.checksum),
  }
}

/** The columns of an asset's tags, which are normalized. */
export function toTagColumns(tags: string[]) {
  const isNone = tags.length === 0
  return { tags: isNone ? null : tags, search_tags: isNone ? null : tags.map(foldTag) }
}

function toIntegrity(checksum: Json<Checksum> | null | undefined): Integrity {
  if (!checksum) return NOT_VERIFIED
  const [sha256, verifiedAt, isDamaged, isWithheld] = fromJson(checksum)
  return {
    sha256,
    verifiedAt: verifiedAt === null ? null : new Date(verifiedAt),
    isDamaged: Boolean(isDamaged),
    isWithheld: Boolean(isWithheld),
  }
}

export function toUpload(row: UploadRow): Upload {
  const { status, ...asset } = toAsset(row)
  const { started_by_id: id, started_by_name: name } = row
  return {
    // The row of a completed replacement is `deleted`, because a version is not an asset of its own.
    status: row.became_version === null ? status : 'ready',
    asset,
    replaces:
      row.replaces === null ? null : { assetId: row.replaces, keepsName: Boolean(row.keeps_name) },
    key: row.object_key ?? row.id,
    id: row.upload_id,
    // A storage engine that uses our upload ID has no ID of its own.
    storageId: row.storage_id ?? row.upload_id,
    chunkSize: row.chunk_size,
    startedBy: name === null ? null : { id, name },
    tokenId: row.token_id,
    expiresAt: toDate(row.expires_at),
  }
}

/** The content of a version that becomes the current one. */
export interface VersionContent {
  version: number
  object_key: string
  storage_id: string | null
  chunk_size: number
  filename: string
  bytes: number
  mime: string
  created_at: Time
}

export interface VersionRow extends VersionContent {
  is_current: Flag
  replaced_in: number
  checksum: Json<Checksum> | null
}

export function toVersion(row: VersionRow): AssetVersion {
  return {
    version: row.version,
    isCurrent: Boolean(row.is_current),
    filename: row.filename,
    bytes: row.bytes,
    mime: row.mime,
    createdAt: toDate(row.created_at),
    key: row.object_key,
    chunkSize: row.chunk_size,
    replacedIn: row.replaced_in,
    integrity: toIntegrity(row.checksum),
  }
}

export interface RecordRow extends UploadRow {
  changed_at: Time
  idempotency_key: string | null
  request_digest: string | null
  product_ids: Json<string[]>
  last_version: number
  version_created_at: Time | null
  trashed_at: Time | null
  is_being_deleted: Flag
  is_being_moved: Flag
  /** Null if there are none. */
  versions: Json<OldVersionRow[]> | null
}

interface OldVersionRow {
  version: number
  key: string
  chunkSize: number
  filename: string
  bytes: number
  mime: string
  createdAt: string | number
  checksum: Checksum | null
}

export function toRecord(row: RecordRow): AssetRecord {
  const { idempotency_key: key, request_digest: digest } = row
  const isLink = row.kind === 'link'
  const expiresAt = toDate(row.expires_at)
  return {
    asset: toAsset(row),
    upload: isLink ? undefined : { id: row.upload_id, chunkSize: row.chunk_size, expiresAt },
    idempotency: key === null || digest === null ? undefined : { key, digest },
    changedAt: toDate(row.changed_at),
    ...(row.trashed_at !== null && { trashedAt: toDate(row.trashed_at) }),
    ...(row.is_being_deleted && { isBeingDeleted: true }),
    ...(row.is_being_moved && { isBeingMoved: true }),
    productIds: fromJson(row.product_ids),
    key: isLink ? undefined : (row.object_key ?? row.id),
    versionCreatedAt: toDate(row.version_created_at ?? row.created_at),
    lastVersion: row.last_version,
    versions: fromJson(row.versions ?? []).map(({ createdAt, checksum, ...version }) => ({
      ...version,
      createdAt: new Date(createdAt),
      integrity: toIntegrity(checksum),
    })),
  }
}

/** The columns of an imported asset. */
export function toAssetColumns(account: string, record: AssetRecord) {
  const { asset, upload, idempotency, changedAt, productIds, trashedAt } = record
  return {
    id: asset.id,
    account_id: account,
    kind: asset.kind,
    status: trashedAt === undefined ? 'ready' : 'deleted',
    filename: asset.filename,
    search_name: foldText(asset.filename),
    sort_name: sortName(asset.filename),
    bytes: asset.bytes,
    mime: asset.mime,
    url: asset.url,
    created_at: asset.createdAt,
    upload_id: upload?.id ?? null,
    chunk_size: upload?.chunkSize ?? null,
    expires_at: upload?.expiresAt ?? null,
    changed_at: changedAt,
    idempotency_key: idempotency?.key ?? null,
    request_digest: idempotency?.digest ?? null,
    attached: productIds.length > 0 && trashedAt === undefined,
    folder: storedFolder(asset.path),
    search_path: searchPath(asset.path),
    ...toTagColumns(asset.tags),
    inline: asset.isInline,
    version: asset.version,
    last_version: record.lastVersion,
    version_changes: record.versions.length,
    object_key: record.key === asset.id ? null : (record.key ?? null),
    version_created_at: record.versionCreatedAt,
    updated_at: asset.updatedAt,
    trashed_at: trashedAt ?? null,
  }
}

/** The columns of the older versions of an imported asset. */
export function toVersionColumns(account: string, { asset, versions, trashedAt }: AssetRecord) {
  return versions.map((old, index) => ({
    asset_id: asset.id,
    account_id: account,
    version: old.version,
    object_key: old.key,
    chunk_size: old.chunkSize,
    filename: old.filename,
    bytes: old.bytes,
    mime: old.mime,
    created_at: old.createdAt,
    replaced_in: index + 1,
    trashed: trashedAt !== undefined,
  }))
}

/**
 * The columns of the checksums of an imported asset's objects. A job compares their bytes with the digests from the other
 * deployment. A damaged object stays damaged until its bytes have that digest, and one that was withheld from downloads
 * there is withheld here, too.
 */
export function toChecksumColumns(account: string, record: AssetRecord) {
  return filesOf(record).map(({ key, bytes, chunkSize, integrity }) => ({
    object_key: key,
    bytes,
    chunk_size: chunkSize,
    sha256: integrity.sha256,
    verified_at: integrity.verifiedAt,
    damaged: integrity.isDamaged,
    withheld_for: integrity.isWithheld ? account : null,
  }))
}

export interface StoredFileRow {
  key: string
  asset_id: string
  folder: string | null
  filename: string
  bytes: number
  chunk_size: number
  version: number
  is_current: Flag
  checksum: Json<Checksum> | null
}

export function toStoredFile(row: StoredFileRow): StoredFile {
  return {
    key: row.key,
    assetId: row.asset_id,
    path: pathOfStored(row.folder),
    filename: row.filename,
    bytes: row.bytes,
    chunkSize: row.chunk_size,
    version: row.version,
    isCurrent: Boolean(row.is_current),
    integrity: toIntegrity(row.checksum),
  }
}

export interface VerificationRow {
  object_key: string
  bytes: number
  chunk_size: number
}

export function toVerification(row: VerificationRow): Verification {
  return { key: row.object_key, bytes: row.bytes, chunkSize: row.chunk_size }
}

/** The result of a verification. */
export interface ChecksumRow {
  sha256: string | null
  verified_at: Time | null
  damaged: Flag
  is_withheld: Flag
}

export function toVerified(row: ChecksumRow): Integrity {
  return {
    sha256: row.sha256,
    verifiedAt: toDateOrNull(row.verified_at),
    isDamaged: Boolean(row.damaged),
    isWithheld: Boolean(row.is_withheld),
  }
}

export interface RemovalRow {
  id: number
  kind: Removal['kind']
  storage_id: string
  key: string
  attempts: number
  due_at: Time
}

export function toRemoval(row: RemovalRow): Removal {
  return {
    id: row.id,
    kind: row.kind,
    storageId: row.storage_id,
    key: row.key,
    attempts: row.attempts,
    dueAt: toDate(row.due_at),
  }
}

/** A row of `readStates`. Its ID is the key of the object. */
export interface StateRow {
  id: string
  status: AssetStatus | 'superseded'
  storage_id: string | null
}

export function toState({ status, storage_id }: StateRow): AssetState {
  const isSuperseded = status === 'superseded'
  return {
    status: isSuperseded ? 'deleted' : status,
    isSuperseded,
    storageId: storage_id ?? undefined,
  }
}

/** The status, or `resized` if the upload is unfinished and its size is not the expected one. */
export function statusOrResized(
  row: { status: AssetStatus; bytes: number } | undefined,
  expectedBytes: number | undefined,
): AssetStatus | 'resized' | undefined {
  if (row === undefined || row.bytes === (expectedBytes ?? row.bytes)) return row?.status
  return row.status === 'uploading' || row.status === 'completing' ? 'resized' : row.status
}
