import type { Finding } from '../domain/finding.ts'
import {
  describeUnfinishedMove,
  findMismatch,
  REMEDY,
  resumeMove,
} from '../identity/find-mismatch.ts'
import type { DoctorContext } from './doctor-context.ts'

/** Checks that the database and the storage belong together: otherwise, comparing them is meaningless. */
export async function examineIdentity({ database, contents }: DoctorContext): Promise<Finding> {
  const check = 'storage'
  const identity = await database.readIdentity()
  const mismatch = findMismatch(identity, await contents.readIdentity())
  if (mismatch !== undefined) {
    const message = `it does not belong to this database: ${mismatch}`
    return { check, status: 'error', message, remedy: REMEDY }
  }
  if (identity.unfinishedMove !== undefined) {
    const message = describeUnfinishedMove(identity.unfinishedMove)
    return { check, status: 'error', message, remedy: resumeMove(identity.unfinishedMove) }
  }
  if (identity.storageId === undefined) {
    const message = 'it is not bound to this database yet; the service binds it when it starts'
    return { check, status: 'note', message }
  }
  return { check, status: 'ok', message: 'it belongs to this database' }
}
