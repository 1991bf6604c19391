import type { Checksum } from '@stowage/protocol'
import { formatTimestamp } from '@stowage/protocol/format'
import type { Integrity } from '../../domain/asset.ts'

/** Null until the bytes were read and had the expected digest. */
export function presentChecksum({ sha256, verifiedAt }: Integrity): Checksum | null {
  if (sha256 === null || verifiedAt === null) return null
  return { sha256, verified_at: formatTimestamp(verifiedAt) }
}
