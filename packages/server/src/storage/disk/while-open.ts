import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { isMissing } from './file-system.ts'
import { type Layout, sealedFolder, uploadFolder } from './layout.ts'
import type { PartGrant } from './signed-url.ts'

const PAUSE_MS = 2
/** A completion compares thousands of parts within a second, on a busy machine within many. */
const MOST_TRIES = 15_000
/** How often the folder must be found neither open nor sealed: between two looks it may change. */
const MOST_MISSES = 3

/**
 * Takes a step in the folder of an open upload. While a completion has sealed it, the step waits: it
 * succeeds if the completion is refused, fails with ENOENT once the upload has ended, and with EBUSY
 * when neither happens for a long time.
 */
export async function whileOpen<Result>(
  layout: Layout,
  { upload }: PartGrant,
  step: () => Promise<Result>,
): Promise<Result> {
  let misses = 0
  for (let tries = 1; ; tries += 1) {
    try {
      return await step()
    } catch (error) {
      if (!isMissing(error)) throw error
      if (tries === MOST_TRIES) throw stillSealed()
      const isThere =
        existsSync(sealedFolder(layout, upload)) || existsSync(uploadFolder(layout, upload))
      misses = isThere ? 0 : misses + 1
      if (misses === MOST_MISSES) throw error
      await pause(PAUSE_MS)
    }
  }
}

function stillSealed(): Error {
  return Object.assign(new Error('the upload is still being completed'), { code: 'EBUSY' })
}
