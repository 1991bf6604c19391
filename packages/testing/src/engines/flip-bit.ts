import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { partPlan } from '@stowage/server/src/domain/parts'
import type { Context } from '@stowage/server/src/operations/context'
import { changeObject } from './change-object.ts'
import { isOnS3 } from './test-engines.ts'

/**
 * Flips one bit in the middle of the first part of an object, directly in the storage. On disk, changes the stored
 * file, as a failing disk does. An object on S3 cannot be changed in place, so it is stored again.
 */
export async function flipBit(
  service: { context: Context; folder: string },
  { key, bytes }: { key: string; bytes: number },
): Promise<void> {
  const { storage, settings } = service.context
  const plan = partPlan(bytes, settings.chunkSize)
  const at = Math.floor(Math.min(bytes, plan.chunkSize) / 2)
  if (isOnS3) {
    const chunks: Uint8Array[] = []
    for (let number = 1; number <= plan.count; number += 1) {
      for await (const chunk of storage.readPart({ key, plan }, number)) chunks.push(chunk)
    }
    const changed = Buffer.concat(chunks)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    return changeObject(service, key, changed)
  }
  const path = join(service.folder, 'storage', 'objects', key.slice(-2), key, '00001')
  const file = await open(path, 'r+')
  try {
    const byte = Buffer.alloc(1)
    await file.read(byte, 0, 1, at)
    byte.writeUInt8(byte.readUInt8(0) ^ 1, 0)
    await file.write(byte, 0, 1, at)
  } finally {
    await file.close()
  }
}
