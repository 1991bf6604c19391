import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'

/** Checks that no event is missing, so that readers of the events miss no change, and that their bytes are counted. */
export async function reconcileEvents({ database, repair }: DoctorContext): Promise<Finding> {
  const check = 'events'
  const names = new Map((await database.listAccounts()).map(({ id, name }) => [id, name]))
  const compared = await database.compareEvents()
  const incomplete = compared.filter(
    ({ lastId, highestId, missing }) => missing !== 0 || highestId > lastId,
  )
  const miscounted = compared.filter((account) => account.countedBytes !== account.actualBytes)
  const wrong = new Set([...incomplete, ...miscounted])
  if (wrong.size === 0) return { check, status: 'ok', message: 'no event is missing' }
  const nameOf = (accountId: string) => names.get(accountId) ?? accountId
  const items = [
    ...incomplete.map(
      ({ accountId, lastId, highestId, missing }) =>
        `${nameOf(accountId)}: the last ID was ${lastId}, the highest stored ID is ${highestId}; missing: ${missing}`,
    ),
    ...miscounted.map(
      ({ accountId, countedBytes, actualBytes }) =>
        `${nameOf(accountId)}: ${countedBytes} bytes were counted; actual: ${actualBytes}`,
    ),
  ]
  const isIncomplete = incomplete.length > 0
  const message = `the events of some accounts are ${isIncomplete ? 'incomplete' : 'miscounted'}`
  if (!repair) return { check, status: 'error', message, items, remedy: 'stowage doctor --repair' }
  for (const { accountId } of wrong) await database.repairEvents(accountId)
  return {
    check,
    status: 'fixed',
    message: isIncomplete
      ? `${message}; readers that need the missing ones get 410 events_forgotten`
      : message,
    items,
  }
}
