import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'

/** Checks that no event is missing, so that readers of the events miss no change. */
export async function reconcileEvents({ database, repair }: DoctorContext): Promise<Finding> {
  const about = 'events'
  const names = new Map((await database.listAccounts()).map(({ id, name }) => [id, name]))
  const wrong = (await database.compareEvents()).filter(
    ({ lastId, highestId, missing }) => missing !== 0 || highestId > lastId,
  )
  if (wrong.length === 0) return { about, verdict: 'well', says: 'no event is missing' }
  const items = wrong.map(({ accountId, lastId, highestId, missing }) => {
    const name = names.get(accountId) ?? accountId
    return `${name}: the last ID was ${lastId}, the highest stored ID is ${highestId}; missing: ${missing}`
  })
  const says = 'the events of some accounts are incomplete'
  if (!repair) return { about, verdict: 'wrong', says, items, remedy: 'stowage doctor --repair' }
  for (const { accountId } of wrong) await database.repairEvents(accountId)
  return {
    about,
    verdict: 'mended',
    says: `${says}; readers that need the missing ones get 410 events_forgotten`,
    items,
  }
}
