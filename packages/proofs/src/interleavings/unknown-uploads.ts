import type { State } from '../model/check-state.ts'
import type { Model } from '../model/model.ts'
import type { Harness } from './harness.ts'
import { runAllJobs } from './run-interleaving.ts'

/**
 * Expires uploads whose client got no response and so does not know their IDs. `issued` are all generated
 * IDs.
 */
export async function expireUnknown(
  harness: Harness,
  issued: string[],
  models: Model[],
): Promise<void> {
  const known = idsOf(models)
  const data = harness.context.database.of(harness.account.id)
  let hasUnknown = false
  for (const id of issued) {
    // The model knows a replacement by its upload ID.
    const uploadId = (await data.findUpload(id))?.id ?? id
    if (known.includes(id) || known.includes(uploadId)) continue
    if (await data.renewUpload(id, -60_000)) hasUnknown = true
  }
  if (!hasUnknown) return
  const settings = { ...harness.context.settings, uploadsKeptForMs: -60_000 }
  await runAllJobs({ ...harness, context: { ...harness.context, settings } })
}

export function idsOf(models: Model[]): string[] {
  return models.flatMap(({ uploads }) => uploads.map(({ id }) => id))
}

/**
 * Leaves out uploads that S3 created but whose upload ID was not stored, because the process or the
 * connection failed first. They get no parts, and a job removes them once the asset is not uploading.
 */
export function withoutUnrecorded(state: State): State {
  const open = state.open.filter(
    ({ id, etags }, index) =>
      etags.length > 0 || state.open.findLastIndex((other) => other.id === id) === index,
  )
  return { ...state, open }
}
