import type { Asset, AssetVersion } from '../domain/asset.ts'

/** An asset, ready or in the trash, with all data that a copy in another deployment needs. */
export interface AssetRecord {
  asset: Asset
  /** The upload of a file; undefined for a link. */
  upload: { id: string; chunkSize: number; expiresAt: Date } | undefined
  /** The idempotency key of its request, if it had one. */
  idempotency: { key: string; digest: string } | undefined
  /** The time of the last status change. */
  changedAt: Date
  /** When it was moved to the trash; undefined if it is ready. */
  trashedAt?: Date | undefined
  /** Whether an unfinished deletion of all assets (`findTrashAll`) will move it to the trash. */
  isBeingDeleted?: true | undefined
  /** Our IDs of its products, sorted. An asset in the trash is attached to them when it is restored. */
  productIds: string[]
  /** The key of the current object; undefined for a link. */
  key: string | undefined
  /** When the current version was requested. */
  versionCreatedAt: Date
  /** The highest number that a version of it ever had. */
  lastVersion: number
  /** Older versions, those that were replaced longest ago first. */
  versions: OldVersion[]
}

/** A version that is not the current one. */
export type OldVersion = Omit<AssetVersion, 'isCurrent'>

/** All versions of a file, the current one first; none for a link. */
export function filesOf(record: AssetRecord): OldVersion[] {
  const { asset, upload, key, versions, versionCreatedAt: createdAt } = record
  if (upload === undefined || key === undefined) return []
  const { version, bytes, mime, filename, integrity } = asset
  const { chunkSize } = upload
  return [{ version, key, bytes, mime, filename, integrity, chunkSize, createdAt }, ...versions]
}
