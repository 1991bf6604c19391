import type { State } from '../model/check-state.ts'
import type { Model } from '../model/model.ts'
import type { Harness } from './harness.ts'
import { runAllJobs } from './run-interleaving.ts'

/**
 * Ends uploads whose request was never answered: nobody knows their IDs, and they expire. `issued` are
 * all IDs that were given out.
 */
export async function expireUnknown(
  harness: Harness,
  issued: string[],
  models: Model[],
): Promise<void> {
  const known = idsOf(models)
  const data = harness.context.database.of(harness.account.id)
  let isAny = false
  for (const id of issued) {
    if (!known.includes(id) && (await data.renewUpload(id, -60_000))) isAny = true
  }
  if (!isAny) return
  const settings = { ...harness.context.settings, uploadsKeptForMs: -60_000 }
  await runAllJobs({ ...harness, context: { ...harness.context, settings } })
}

export function idsOf(models: Model[]): string[] {
  return models.flatMap(({ uploads }) => uploads.map(({ id }) => id))
}

/**
 * S3 names uploads itself. One whose name was not recorded before the process or the connection died
 * gets no parts, and is removed once its asset is not uploading any more.
 */
export function withoutUnrecorded(state: State): State {
  const open = state.open.filter(
    ({ id, etags }, index) =>
      etags.length > 0 || state.open.findLastIndex((other) => other.id === id) === index,
  )
  return { ...state, open }
}
