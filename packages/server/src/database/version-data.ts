import type { Asset, AssetVersion, Upload } from '../domain/asset.ts'

export type RestoreOutcome =
  | { outcome: 'restored'; asset: Asset }
  /** It was the current version already. */
  | { outcome: 'current'; asset: Asset }
  | { outcome: 'asset_not_found' }
  | { outcome: 'version_not_found' }

export type VersionDeletion = 'deleted' | 'current' | 'asset_not_found' | 'version_not_found'

/** The replacements and versions of the files of one account. */
export interface VersionData {
  /** The replacement of this asset with this upload ID, in any status. */
  findReplacement(assetId: string, uploadId: string): Promise<Upload | undefined>

  /** All versions of a ready file, the highest number first. Undefined for anything else. */
  listVersions(assetId: string): Promise<AssetVersion[] | undefined>

  /**
   * The version of a ready file that downloads get: the current one, or while that is withheld, the one that was
   * replaced last and is not withheld. Undefined if there is none.
   */
  findServedVersion(assetId: string): Promise<AssetVersion | undefined>

  /**
   * Makes an older version the current one, atomically: its content, its name and its number. The version that
   * was current becomes an older one. Idempotent.
   */
  restoreVersion(assetId: string, version: number): Promise<RestoreOutcome>

  /** Removes an older version and frees its bytes immediately. Its object is queued for removal. */
  deleteVersion(assetId: string, version: number): Promise<VersionDeletion>
}
