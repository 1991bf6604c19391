import type { AssetStatus } from './asset.ts'

/** The asset or version to which an object belongs. */
interface ObjectOwner {
  status: AssetStatus
  isSuperseded: boolean
  storageId: string | undefined
}

/**
 * Whether an upload that is open in the storage must not be aborted, because its asset is unfinished, or because
 * the object may have been created from it. Some storage still lists an upload after its completion, and aborting
 * it would destroy the object. If no storage ID was recorded, for example for an asset that a move copied, any
 * upload with the key of the object may be the one that created it.
 */
export function isUploadInUse(
  { status, isSuperseded, storageId }: ObjectOwner,
  id: string,
): boolean {
  if (status === 'ready' || isSuperseded) return storageId === undefined || storageId === id
  return status === 'uploading' || status === 'completing'
}

/** Whether an upload is still open although its asset is ready. The storage did not finish the completion. */
export function isLeftOpen(owner: ObjectOwner, id: string): boolean {
  return owner.status === 'ready' && isUploadInUse(owner, id)
}
