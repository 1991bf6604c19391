import type { DownloadMiscount } from '../database/order-data.ts'
import { recountCounters } from '../database/walk-database.ts'
import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'

/** After this many failed attempts, doctor reports that the storage keeps refusing a removal. */
const MANY_ATTEMPTS = 5
const STUCK_MS = 10 * 60_000
const MAX_ROWS = 1000

/** Compares counters with rows, and reports what the jobs can't complete. */
export async function* reconcileUsage(context: DoctorContext): AsyncIterable<Finding> {
  yield await reconcileCounters(context)
  yield* findUnfinished(context)
}

async function reconcileCounters({ database, repair }: DoctorContext): Promise<Finding> {
  const check = 'usage'
  const names = new Map((await database.listAccounts()).map(({ id, name }) => [id, name]))
  const comparisons = await database.compareUsage()
  const wrong = comparisons.filter(({ counted, actual, wrongBlocks, wrongTags }) => {
    return JSON.stringify(counted) !== JSON.stringify(actual) || wrongBlocks + wrongTags > 0
  })
  if (wrong.length === 0) {
    return {
      check,
      status: 'ok',
      message: 'the usage of each account equals the sum of its assets',
    }
  }
  const items = wrong.map(({ accountId, counted, actual, wrongBlocks, wrongTags }) => {
    const name = names.get(accountId) ?? accountId
    const blocks = wrongBlocks > 0 ? `; wrongly counted blocks of assets: ${wrongBlocks}` : ''
    const tags = wrongTags > 0 ? `; wrong tags of assets: ${wrongTags}` : ''
    return `${name}: counted ${JSON.stringify(counted)}, actual ${JSON.stringify(actual)}${blocks}${tags}`
  })
  const message = 'the usage of some accounts differs from the sum of their assets'
  if (!repair) return { check, status: 'error', message, items, remedy: 'stowage doctor --repair' }
  await recountCounters(database)
  return { check, status: 'fixed', message: `${message}; recounted`, items }
}

async function* findUnfinished({ database }: DoctorContext): AsyncIterable<Finding> {
  const now = await database.readClock()
  const before = new Date(now.getTime() - STUCK_MS)
  const stuck = await database.listStuckCompletions(before, MAX_ROWS)
  const hint = 'the log of the service has the reason for each failed attempt'
  if (stuck.length > 0) {
    const message = `uploads being completed for more than 10 minutes: ${stuck.length}; ${hint}`
    const items = stuck.map(({ asset }) => `${asset.id} ${asset.filename}`)
    yield { check: 'uploads', status: 'note', message, items }
  }
  const removals = await database.listRemovals(MAX_ROWS)
  const failing = removals.filter(({ attempts }) => attempts >= MANY_ATTEMPTS)
  if (failing.length > 0) {
    const message = `removals that the storage keeps refusing: ${failing.length}; ${hint}`
    const items = failing.map(({ kind, key, attempts }) => `${kind} ${key}: ${attempts} attempts`)
    yield { check: 'files', status: 'note', message, items }
  }
}

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

/** Compares the counters of orders and their downloads with the log, and with each other. */
export async function reconcileDownloads({ database, repair }: DoctorContext): Promise<Finding> {
  const check = 'orders'
  const wrong = await database.compareDownloads(MAX_ROWS)
  if (wrong.length === 0) {
    return { check, status: 'ok', message: 'the downloads of each order are counted correctly' }
  }
  const items = wrong.map((miscount) => {
    const { counted, actual } = miscount
    return `${describeMiscount(miscount)}: counted ${counted}, actual ${actual}`
  })
  const message = `wrong counters of orders and downloads: ${wrong.length}`
  if (!repair) return { check, status: 'error', message, items, remedy: 'stowage doctor --repair' }
  for (const miscount of wrong) await database.recountDownloads(miscount)
  // A corrected file changes the sum of its order.
  for (const miscount of await database.compareDownloads(MAX_ROWS)) {
    await database.recountDownloads(miscount)
  }
  return { check, status: 'fixed', message: `${message}; recounted`, items }
}

/** Compares the changes of all matches with their batches: with missing ones, a change could not be continued or undone. */
export async function reconcileBulkJobs({ database, repair }: DoctorContext): Promise<Finding> {
  const check = 'bulk changes'
  const wrong = await database.compareBulkJobs(MAX_ROWS)
  if (wrong.length === 0) {
    return { check, status: 'ok', message: 'each change of all matches has all of its assets' }
  }
  const items = wrong.map(
    ({ accountId, id, batches, done, changed }) =>
      `${id} of account ${accountId}: batches ${batches.stored} of ${batches.expected}; done: counted ${done.counted}, actual ${done.actual}; changed: counted ${changed.counted}, actual ${changed.actual}`,
  )
  const message = `changes of all matches that are incomplete or miscounted: ${wrong.length}`
  if (!repair) return { check, status: 'error', message, items, remedy: 'stowage doctor --repair' }
  for (const { id } of wrong) await database.repairBulkJob(id)
  return { check, status: 'fixed', message: `${message}; incomplete ones were cancelled`, items }
}

function describeMiscount(miscount: DownloadMiscount): string {
  if (miscount.kind === 'day') {
    const day = new Date(miscount.day * 86_400_000).toISOString().slice(0, 10)
    return `account ${miscount.accountId} on ${day}`
  }
  if (miscount.kind === 'orders') return `orders of the account ${miscount.accountId}`
  const order = `order ${miscount.orderId}`
  return miscount.kind === 'file' ? `${order}, file ${miscount.assetId}` : order
}
