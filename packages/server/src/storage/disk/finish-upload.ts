import { readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { partsAtFault } from '../../domain/match-parts.ts'
import type { PartPlan } from '../../domain/parts.ts'
import type { CompletionOutcome, StorageUpload } from '../storage.ts'
import { hasCode, isMissing, makeFolder, syncFolder } from './file-system.ts'
import { type Layout, objectFolder, objectShard, uploadFolder } from './layout.ts'
import { readPartFiles } from './part-file.ts'

interface Expected {
  plan: PartPlan
  parts: { number: number; etag: string }[]
}

/**
 * Renames the upload's folder to the object's. The rename comes first, so that no part can be
 * replaced while the parts are compared; if they are not the expected ones, it is taken back.
 */
export async function finishUpload(
  layout: Layout,
  upload: StorageUpload,
  expected: Expected,
): Promise<CompletionOutcome> {
  const source = uploadFolder(layout, upload)
  const target = objectFolder(layout, upload.key)
  await makeFolder(objectShard(layout, upload.key))
  try {
    await rename(source, target)
  } catch (error) {
    // Not there, or there already: an earlier attempt came this far.
    if (!isMissing(error) && !hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error
  }
  const held = await readPartFiles(target)
  if (held === undefined) return { outcome: 'gone' }
  const atFault = partsAtFault(held, expected.plan, expected.parts)
  if (atFault.length > 0) {
    await rename(target, source)
    return { outcome: 'refused', parts: atFault }
  }
  await removeStrangers(target, expected.plan.count)
  await syncFolder(target)
  await syncFolder(dirname(target))
  await syncFolder(layout.objects)
  await syncFolder(layout.uploads)
  return { outcome: 'completed' }
}

/** Whatever was on its way when the folder moved, or lies beyond the last part. */
async function removeStrangers(folder: string, count: number): Promise<void> {
  for (const name of await readdir(folder)) {
    const isPart = /^\d{5}$/.test(name) && Number(name) >= 1 && Number(name) <= count
    if (!isPart) await rm(join(folder, name), { force: true })
  }
}
