import type { Context } from '../operations/context.ts'
import { listDegradations, listNotes } from '../operations/service.ts'

/** Records that this instance runs, and what it reports about itself, for the operator. */
export async function reportInstance(context: Context): Promise<void> {
  const { database, storage, instance, health } = context
  const problems = [...listDegradations(health), ...listNotes(health)]
  const freeBytes = (await storage.freeBytes()) ?? null
  const fullAt = health.diskFullAt ?? null
  await database.recordInstance({ ...instance, problems, freeBytes, fullAt })
}
