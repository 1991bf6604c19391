import type { AssetStatus } from './asset.ts'

/**
 * Whether an upload that is open in the storage must stay: its asset waits for it, or was made of it.
 * Some stores list an upload also after its completion, and removing it would destroy the object.
 */
export function isUploadInUse(
  asset: { status: AssetStatus; storageId: string | undefined } | undefined,
  storageId: string,
): boolean {
  if (asset === undefined) return false
  if (asset.status === 'ready') return asset.storageId === storageId
  return asset.status === 'uploading' || asset.status === 'completing'
}
