import type { AssetStatus } from './asset.ts'

/**
 * Whether an upload that is open in the storage must be kept, because its asset is unfinished or may have
 * been created from it. Some storage still lists an upload after its completion, and removing it would
 * destroy the object. If no storage ID was recorded, as for an asset that was moved here, any upload of
 * the asset may be the one.
 */
export function isUploadInUse(
  {
    status,
    isSuperseded,
    storageId,
  }: { status: AssetStatus; isSuperseded: boolean; storageId: string | undefined },
  id: string,
): boolean {
  if (status === 'ready' || isSuperseded) return storageId === undefined || storageId === id
  return status === 'uploading' || status === 'completing'
}
