import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'

/** Checks that no event is missing, so that readers of the events miss no change. */
export async function reconcileEvents({ database, repair }: DoctorContext): Promise<Finding> {
  const check = 'events'
  const names = new Map((await database.listAccounts()).map(({ id, name }) => [id, name]))
  const wrong = (await database.compareEvents()).filter(
    ({ lastId, highestId, missing }) => missing !== 0 || highestId > lastId,
  )
  if (wrong.length === 0) return { check, status: 'ok', message: 'no event is missing' }
  const items = wrong.map(({ accountId, lastId, highestId, missing }) => {
    const name = names.get(accountId) ?? accountId
    return `${name}: the last ID was ${lastId}, the highest stored ID is ${highestId}; missing: ${missing}`
  })
  const message = 'the events of some accounts are incomplete'
  if (!repair) return { check, status: 'error', message, items, remedy: 'stowage doctor --repair' }
  for (const { accountId } of wrong) await database.repairEvents(accountId)
  return {
    check,
    status: 'fixed',
    message: `${message}; readers that need the missing ones get 410 events_forgotten`,
    items,
  }
}
