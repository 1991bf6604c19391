import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { partsAtFault } from '../../domain/match-parts.ts'
import type { PartPlan } from '../../domain/parts.ts'
import type { CompletionOutcome, StorageUpload } from '../storage.ts'
import { isMissing, makeFolderSync, moveNow, syncFolder } from './file-system.ts'
import { type Layout, objectFolder, objectShard, sealedFolder, uploadFolder } from './layout.ts'
import { readPartFiles } from './part-file.ts'

interface Expected {
  plan: PartPlan
  parts: { number: number; etag: string }[]
}

/**
 * Turns the upload's folder into the object. Calls for one key must not run concurrently.
 *
 * First the folder is renamed to its sealed name, where no part can be added or replaced. Its parts
 * are compared there. Then it is renamed to the object, or back to an upload. So an object's folder is
 * always complete and never changes until it is removed: a late call finds the object and does not
 * touch it, whatever parts it expected.
 *
 * Only the syncs run in Node's thread pool. Every other call there would wait for the syncs of all other completions,
 * one after another, and a completion among hundreds would take several times as long as any other call.
 */
export async function finishUpload(
  layout: Layout,
  upload: StorageUpload,
  expected: Expected,
): Promise<CompletionOutcome> {
  const target = objectFolder(layout, upload.key)
  if (existsSync(target)) {
    // An earlier call may have been interrupted between its rename and the syncs.
    await syncObject(layout, target)
    return objectOutcome(target, expected.plan)
  }
  const source = uploadFolder(layout, upload)
  const sealed = sealedFolder(layout, upload)
  makeFolderSync(objectShard(layout, upload.key))
  try {
    await moveNow(source, sealed)
  } catch (error) {
    if (isMissing(error)) return { outcome: 'gone' }
    throw error
  }
  let isObject = false
  try {
    const received = (await readPartFiles(sealed)) ?? []
    const atFault = partsAtFault(received, expected.plan, expected.parts)
    if (atFault.length > 0) return { outcome: 'refused', parts: atFault }
    await removeOtherFiles(sealed, expected.plan.count)
    await syncFolder(sealed)
    await moveNow(sealed, target)
    isObject = true
  } finally {
    if (!isObject) await moveNow(sealed, source)
  }
  await syncObject(layout, target)
  return { outcome: 'completed' }
}

/** Makes the rename from upload to object durable. */
async function syncObject(layout: Layout, target: string): Promise<void> {
  await Promise.all([dirname(target), layout.objects, layout.uploads].map(syncFolder))
}

async function objectOutcome(folder: string, plan: PartPlan): Promise<CompletionOutcome> {
  const received = (await readPartFiles(folder)) ?? []
  return { outcome: partsAtFault(received, plan, []).length === 0 ? 'completed' : 'gone' }
}

/** Removes parts that were in transfer when the folder was sealed. */
async function removeOtherFiles(folder: string, count: number): Promise<void> {
  for (const name of readdirSync(folder)) {
    const isPart = /^\d{5}$/.test(name) && Number(name) >= 1 && Number(name) <= count
    if (!isPart) await rm(join(folder, name), { force: true })
  }
}
