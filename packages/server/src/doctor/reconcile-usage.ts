import { recountCounters } from '../database/recount-counters.ts'
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
  const wrong = comparisons.filter(({ counted, actual, wrongBlocks }) => {
    return JSON.stringify(counted) !== JSON.stringify(actual) || wrongBlocks > 0
  })
  if (wrong.length === 0) {
    return {
      check,
      status: 'ok',
      message: 'the usage of each account equals the sum of its assets',
    }
  }
  const items = wrong.map(({ accountId, counted, actual, wrongBlocks }) => {
    const name = names.get(accountId) ?? accountId
    const blocks = wrongBlocks > 0 ? `; wrongly counted blocks of assets: ${wrongBlocks}` : ''
    return `${name}: counted ${JSON.stringify(counted)}, actual ${JSON.stringify(actual)}${blocks}`
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
