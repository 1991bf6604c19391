import { createHash } from 'node:crypto'
import type { AssetRecord } from '../database/account-data.ts'
import type { PartPlan } from '../domain/parts.ts'
import { DamagedObject } from '../errors.ts'
import type { StorageContents } from '../storage/storage.ts'
import { sourcePlan, targetPlan } from './copy-object.ts'
import type { Move } from './move.ts'

/** Reads the file from source and target. Throws if they differ. */
export async function compareObject(move: Move, record: AssetRecord): Promise<void> {
  const { source, target, inSlot } = move
  const { id: key, bytes, filename } = record.asset
  const [before, after] = await Promise.all([
    inSlot(() => digestOf(source.contents, { key, plan: sourcePlan(record) })),
    inSlot(() => digestOf(target.storage, { key, plan: targetPlan(move, bytes) })),
  ])
  const object = await target.storage.findObject(key)
  if (before !== after || object?.size !== bytes) {
    throw new DamagedObject(`${key} ${filename} differs between source and target`)
  }
}

async function digestOf(
  contents: Pick<StorageContents, 'readPart'>,
  object: { key: string; plan: PartPlan },
): Promise<string> {
  const hash = createHash('sha256')
  for (let number = 1; number <= object.plan.count; number += 1) {
    for await (const chunk of contents.readPart(object, number)) hash.update(chunk)
  }
  return hash.digest('hex')
}
