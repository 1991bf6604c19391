import type * as wire from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { Asset } from '../../domain/asset.ts'
import { presentChecksum } from './present-checksum.ts'

export function presentAsset(asset: Asset): wire.Asset {
  return {
    id: asset.id,
    filename: asset.filename,
    size: formatSize(asset.bytes),
    is_file: asset.kind === 'file',
    is_link: asset.kind === 'link',
    url: asset.url,
    status: asset.status === 'ready' ? 'ready' : 'uploading',
    bytes: asset.bytes,
    mime: asset.mime,
    created_at: formatTimestamp(asset.createdAt),
    updated_at: formatTimestamp(asset.updatedAt),
    version: asset.version,
    path: asset.path,
    checksum: presentChecksum(asset.integrity),
    damaged: asset.integrity.isDamaged,
  }
}
