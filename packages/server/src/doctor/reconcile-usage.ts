import { recountCounters } from '../database/recount-counters.ts'
import type { Finding } from '../domain/finding.ts'
import type { DoctorContext } from './doctor-context.ts'

/** Failing so often means that the storage refuses. */
const MANY_ATTEMPTS = 5
const STUCK_MS = 10 * 60_000
const MANY = 1000

/** Counters against rows, and what the jobs can't get done. */
export async function* reconcileUsage(context: DoctorContext): AsyncIterable<Finding> {
  yield await reconcileCounters(context)
  yield* findUnfinished(context)
}

async function reconcileCounters({ database, repair }: DoctorContext): Promise<Finding> {
  const about = 'books'
  const names = new Map((await database.listAccounts()).map(({ id, name }) => [id, name]))
  const books = await database.compareUsage()
  const wrong = books.filter(({ counted, actual, wrongBlocks }) => {
    return JSON.stringify(counted) !== JSON.stringify(actual) || wrongBlocks > 0
  })
  if (wrong.length === 0) {
    return { about, verdict: 'well', says: 'what accounts use is what their assets add up to' }
  }
  const items = wrong.map(({ accountId, counted, actual, wrongBlocks }) => {
    const name = names.get(accountId) ?? accountId
    const blocks = wrongBlocks > 0 ? `; blocks of its listing that are wrong: ${wrongBlocks}` : ''
    return `${name}: counted ${JSON.stringify(counted)}, but it is ${JSON.stringify(actual)}${blocks}`
  })
  const says = 'what accounts use is not what their assets add up to'
  if (!repair) return { about, verdict: 'wrong', says, items, remedy: 'stowage doctor --repair' }
  await recountCounters(database)
  return { about, verdict: 'mended', says: `${says}: counted again`, items }
}

async function* findUnfinished({ database }: DoctorContext): AsyncIterable<Finding> {
  const now = await database.readClock()
  const before = new Date(now.getTime() - STUCK_MS)
  const stuck = await database.listStuckCompletions(before, MANY)
  const look = 'the log of the service says why each attempt failed'
  if (stuck.length > 0) {
    const says = `uploads being completed for more than 10 minutes: ${stuck.length}; ${look}`
    const items = stuck.map(({ asset }) => `${asset.id} ${asset.filename}`)
    yield { about: 'uploads', verdict: 'note', says, items }
  }
  const removals = await database.listRemovals(MANY)
  const failing = removals.filter(({ attempts }) => attempts >= MANY_ATTEMPTS)
  if (failing.length > 0) {
    const says = `contents that the storage keeps though it was told to remove them: ${failing.length}; ${look}`
    const items = failing.map(({ kind, key, attempts }) => `${kind} ${key}: ${attempts} attempts`)
    yield { about: 'files', verdict: 'note', says, items }
  }
}
