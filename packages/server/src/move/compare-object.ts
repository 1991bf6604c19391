import { DamagedObject } from '../errors.ts'
import { hashObject } from '../storage/hash-object.ts'
import { type SourceFile, sourcePlan, targetPlan } from './copy-object.ts'
import type { Move } from './move.ts'

/** Reads the file from source and target. Throws if they differ. */
export async function compareObject(move: Move, file: SourceFile): Promise<void> {
  const { source, target, inSlot } = move
  const { key, bytes } = file
  const [before, after] = await Promise.all([
    inSlot(() => hashObject(source.contents, { key, plan: sourcePlan(file) })),
    inSlot(() => hashObject(target.storage, { key, plan: targetPlan(move, bytes) })),
  ])
  const object = await target.storage.findObject(key)
  if (before !== after || object?.size !== bytes) {
    throw new DamagedObject(`${key} differs between source and target`)
  }
}
