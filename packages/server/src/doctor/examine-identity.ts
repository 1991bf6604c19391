import type { Finding } from '../domain/finding.ts'
import { findMismatch, REMEDY } from '../identity/find-mismatch.ts'
import type { DoctorContext } from './doctor-context.ts'

/** Whether the database and the storage belong together. Comparing others would only mislead. */
export async function examineIdentity({ database, contents }: DoctorContext): Promise<Finding> {
  const about = 'storage'
  const own = await database.readIdentity()
  const mismatch = findMismatch(own, await contents.readIdentity())
  if (mismatch !== undefined) {
    const says = `it does not belong to this database: ${mismatch}`
    return { about, verdict: 'wrong', says, remedy: REMEDY }
  }
  if (own.storageId === undefined) {
    const says = 'it is not bound to this database yet; the service binds it when it starts'
    return { about, verdict: 'note', says }
  }
  return { about, verdict: 'well', says: 'it belongs to this database' }
}
