import { storedFolder } from '../domain/asset-path.ts'
import type { Event, EventAsset, EventUpload } from '../domain/event.ts'

/** The JSON of an event's data, as `read-event-data.ts` reads it. */
export function storeEventData({ type, data }: Event): string {
  if (type === 'version.deleted') return JSON.stringify(data)
  if (type.startsWith('asset.')) return JSON.stringify(storedAsset(data as EventAsset))
  if (type.startsWith('upload.')) return JSON.stringify(storedUpload(data as EventUpload))
  return JSON.stringify({ ...data, accountId: undefined })
}

function storedAsset({ accountId, path, integrity, ...asset }: EventAsset): object {
  const { sha256, verifiedAt, isDamaged } = integrity
  return { ...asset, folder: storedFolder(path), checksum: [sha256, verifiedAt, isDamaged] }
}

function storedUpload({ path, startedBy, ...upload }: EventUpload): object {
  return {
    ...upload,
    folder: storedFolder(path),
    startedById: startedBy?.id ?? null,
    startedByName: startedBy?.name ?? null,
  }
}
