import type * as wire from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { AssetVersion } from '../../domain/asset.ts'
import { presentChecksum } from './present-checksum.ts'

export function presentVersion(version: AssetVersion): wire.Version {
  return {
    version: version.version,
    filename: version.filename,
    size: formatSize(version.bytes),
    bytes: version.bytes,
    mime: version.mime,
    created_at: formatTimestamp(version.createdAt),
    checksum: presentChecksum(version.integrity),
    damaged: version.integrity.isDamaged,
    current: version.isCurrent,
  }
}
