import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isMissing } from './file-system.ts'
import { type Layout, sealedFolder, uploadFolder } from './layout.ts'
import type { PartGrant } from './signed-url.ts'

const PAUSE_MS = 2
/** A completion compares thousands of parts in a second, but may take many seconds on a busy machine. */
const MAX_ATTEMPTS = 15_000
/**
 * After this many checks that find neither the open nor the sealed folder, the upload has ended. One check is
 * not enough, because the folder may be renamed while both paths are checked.
 */
const MAX_MISSES = 3

/**
 * Runs a step in the folder of an open upload. While a completion has sealed the folder, the step is
 * retried: it succeeds if the completion is refused, fails with ENOENT if the upload has ended, and
 * fails with EBUSY if neither happens for a long time.
 */
export async function whileOpen<Result>(
  layout: Layout,
  { upload }: PartGrant,
  step: () => Promise<Result>,
): Promise<Result> {
  let misses = 0
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step()
    } catch (error) {
      if (!isMissing(error)) throw error
      if (attempt === MAX_ATTEMPTS) throw stillSealed()
      const exists =
        existsSync(sealedFolder(layout, upload)) || existsSync(uploadFolder(layout, upload))
      misses = exists ? 0 : misses + 1
      if (misses === MAX_MISSES) throw error
      await pause(PAUSE_MS)
    }
  }
}

function stillSealed(): Error {
  return Object.assign(new Error('the upload is still being completed'), { code: 'EBUSY' })
}
