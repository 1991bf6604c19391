import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { PartPlan } from '../domain/parts.ts'
import type { ObjectHashes, StorageContents } from './storage.ts'

/**
 * Returns the SHA-256 and the CRC-32 of an object. Reads it once, with little memory: it waits for `onBytes` before it reads more.
 * Throws `DamagedObject` if the storage finds that the bytes have changed.
 */
export async function hashObject(
  contents: Pick<StorageContents, 'readPart'>,
  object: { key: string; plan: PartPlan },
  onBytes?: (count: number) => Promise<void> | void,
): Promise<ObjectHashes> {
  const hash = createHash('sha256')
  let crc = 0
  for (let number = 1; number <= object.plan.count; number += 1) {
    for await (const bytes of contents.readPart(object, number, { reuseBuffer: true })) {
      hash.update(bytes)
      crc = crc32(bytes, crc)
      await onBytes?.(bytes.length)
    }
  }
  return { sha256: hash.digest('hex'), crc32: crc }
}
