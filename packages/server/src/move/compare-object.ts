import { createHash } from 'node:crypto'
import type { PartPlan } from '../domain/parts.ts'
import { DamagedObject } from '../errors.ts'
import type { StorageContents } from '../storage/storage.ts'
import { type SourceFile, sourcePlan, targetPlan } from './copy-object.ts'
import type { Move } from './move.ts'

/** Reads the file from source and target. Throws if they differ. */
export async function compareObject(move: Move, file: SourceFile): Promise<void> {
  const { source, target, inSlot } = move
  const { key, bytes, filename } = file
  const [before, after] = await Promise.all([
    inSlot(() => digestOf(source.contents, { key, plan: sourcePlan(file) })),
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
