import type { Finding } from '../domain/finding.ts'
import { findMismatch, REMEDY } from '../identity/find-mismatch.ts'
import type { DoctorContext } from './doctor-context.ts'

/** Checks that the database and the storage belong together: otherwise, comparing them is meaningless. */
export async function examineIdentity({ database, contents }: DoctorContext): Promise<Finding> {
  const about = 'storage'
  const identity = await database.readIdentity()
  const mismatch = findMismatch(identity, await contents.readIdentity())
  if (mismatch !== undefined) {
    const says = `it does not belong to this database: ${mismatch}`
    return { about, verdict: 'wrong', says, remedy: REMEDY }
  }
  if (identity.storageId === undefined) {
    const says = 'it is not bound to this database yet; the service binds it when it starts'
    return { about, verdict: 'note', says }
  }
  return { about, verdict: 'well', says: 'it belongs to this database' }
}
