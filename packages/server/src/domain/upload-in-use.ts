import type { AssetStatus } from './asset.ts'

/**
 * Whether an upload that is open in the storage must stay: its asset waits for it, or may have been
 * made of it. Some stores list an upload also after its completion, and removing it would destroy the
 * object. Where no name was recorded, as with an asset that was moved here, it may be any.
 */
export function isUploadInUse(
  { status, storageId }: { status: AssetStatus; storageId: string | undefined },
  id: string,
): boolean {
  if (status === 'ready') return storageId === undefined || storageId === id
  return status === 'uploading' || status === 'completing'
}
