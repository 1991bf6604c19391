import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import {
  type ClaimTimes,
  type Database,
  UNREADABLE_MS,
  type Verification,
  type VerificationQueue,
} from '../database/database.ts'
import { DamagedObject, UnreadableObject } from '../domain/errors.ts'
import { partPlan } from '../domain/parts.ts'
import { type Context, nextReadMs } from '../operations/context.ts'
import { hashObject } from '../storage/hash-object.ts'
import type { Job } from './job.ts'

/**
 * The sizes of the files that each of the comparing jobs reads. A job without such files helps with smaller ones, never
 * with larger ones. So large files do not delay small ones, nor do many small ones delay a large one.
 */
const COMPARED_BYTES = [
  { minBytes: 0, maxBytes: 10e6 },
  { minBytes: 10e6 + 1, maxBytes: 200e6 },
  { minBytes: 200e6 + 1, maxBytes: 2e9 },
  { minBytes: 2e9 + 1, maxBytes: Number.MAX_SAFE_INTEGER },
]
/** More than one, because a large file must not delay all others. */
const COMPUTING_JOBS = 2

/** Not lower while files are transferred, because downloads wait for the comparison. */
const COMPARING_RATES = { idle: 400e6, busy: 400e6 }
const COMPUTING_RATES = { idle: 400e6, busy: 32e6 }

/**
 * The jobs that read files whose upload was just completed. `compare` reads files that are withheld from downloads until
 * they have their declared SHA-256. `compute` reads the others, slowly while files are transferred or compared. Each job
 * needs a loop of its own: it may read one file for minutes.
 */
export function createChecksumJobs({ storage }: Context): { compare: Job[]; compute: Job[] } {
  const comparingPace = createPace(COMPARING_RATES, () => false)
  let comparing = 0
  const computingPace = createPace(COMPUTING_RATES, () => comparing > 0 || storage.isBusy())

  const compareSizes =
    (sizes: { minBytes: number; maxBytes: number }): Job =>
    async (context, signal) => {
      const { database, settings } = context
      // The accounts take turns, so that many files of one account do not delay those of the others.
      let after: string | undefined
      const claimNext: ClaimNext = async (times) => {
        let object = await database.claimWithheld(times, { after, ...sizes })
        if (object === undefined && sizes.minBytes > 0) {
          object = await database.claimWithheld(times, { after, ...sizes, minBytes: 0 })
        }
        after = object?.accountId
        return object
      }
      if (!settings.checksums) {
        // Checksums were disabled before the files were compared. They stay downloadable when they are enabled again.
        for await (const { key } of dueObjects(context, signal, claimNext)) {
          await database.releaseWithheld(key, settings)
        }
        return
      }
      comparing += 1
      try {
        await verifyObjects(context, signal, { claimNext, pace: comparingPace, retriesSoon: true })
      } finally {
        comparing -= 1
      }
    }

  const compute: Job = async (context, signal) => {
    if (!context.settings.checksums) return
    const claimNext = claimFrom(context.database, 'new')
    await verifyObjects(context, signal, { claimNext, pace: computingPace, retriesSoon: true })
  }

  return {
    compare: COMPARED_BYTES.map(compareSizes),
    compute: Array.from({ length: COMPUTING_JOBS }, () => compute),
  }
}

/**
 * Reads files that a move copied. Reads every file again once in `scrubEveryMs`, to detect damage on the disk.
 */
export async function scrubFiles(context: Context, signal: AbortSignal): Promise<void> {
  const { checksums, scrubEveryMs } = context.settings
  if (!checksums) return
  await verifyObjects(context, signal, scrubOptions(context, 'backlog'))
  if (scrubEveryMs > 0) await verifyObjects(context, signal, scrubOptions(context, 'scrub'))
}

/**
 * Reads damaged files again when they are due, so that they can be downloaded as soon as their bytes are right again.
 * It is a job of its own, because the scrub may take weeks or may be disabled.
 */
export async function recheckDamagedFiles(context: Context, signal: AbortSignal): Promise<void> {
  await verifyObjects(context, signal, scrubOptions(context, 'damaged'))
}

/** Other instances skip an object for this long after it was claimed. Reading a large object extends the claim. */
const CLAIM_MS = 60_000
const RENEW_MS = 20_000
/** When to next read an object that no version needs, unless it is removed before then. */
const UNUSED_MS = 3_600_000

const DAY_MS = 24 * 3_600_000

/** Claims the next object that is due. Undefined if there is none. */
type ClaimNext = (times: ClaimTimes) => Promise<Verification | undefined>

interface VerificationOptions {
  claimNext: ClaimNext
  pace: Pace
  /** Whether an object that could not be read is retried when its claim ends, because its digest is not known yet. */
  retriesSoon?: boolean
}

/** At 20 MB/s, 50 TB are read in a month. */
const SCRUB_RATES = { idle: 20e6, busy: 4e6 }

/** Options for the background jobs that read objects of a queue slowly. */
function scrubOptions({ database, storage }: Context, queue: VerificationQueue) {
  const pace = createPace(SCRUB_RATES, () => storage.isBusy())
  return { claimNext: claimFrom(database, queue), pace }
}

function claimFrom(database: Database, queue: VerificationQueue): ClaimNext {
  return async (times) => (await database.claimVerifications(queue, times, 1))[0]
}

/**
 * Reads the objects that are due, one at a time, and records their SHA-256 or that they are damaged. An object that
 * could not be read because of an outage, or because the process was killed, is read again when its claim ends.
 * During an outage of the storage it throws at the first object.
 */
async function verifyObjects(
  context: Context,
  signal: AbortSignal,
  { claimNext, pace, retriesSoon = false }: VerificationOptions,
): Promise<void> {
  for await (const object of dueObjects(context, signal, claimNext)) {
    try {
      await verifyObject(context, object, (bytes) => pace(bytes, signal))
    } catch (error) {
      if (signal.aborted) await release(context, object)
      else await retryLater(context, object, { error, retriesSoon })
    }
  }
}

/** Claims one object at a time, because reading it may take a long time. Other instances read the others meanwhile. */
async function* dueObjects(
  { database, settings }: Context,
  signal: AbortSignal,
  claimNext: ClaimNext,
): AsyncIterable<Verification> {
  while (!signal.aborted) {
    const now = await database.readClock()
    const times = {
      now,
      // The margin of a day makes a small correction of the clock harmless.
      latest: later(now, nextReadMs(settings) + DAY_MS),
      claimedUntil: later(now, CLAIM_MS),
    }
    const object = await claimNext(times)
    if (object === undefined) return
    yield object
    // Small objects are read without waiting, and must not delay requests.
    await nextTurn()
  }
}

async function verifyObject(
  context: Context,
  { key, bytes, chunkSize }: Verification,
  pace: (bytes: number) => Promise<void>,
): Promise<void> {
  const { database, storage, settings } = context
  let claimedAt = performance.now()
  const onBytes = async (count: number) => {
    if (performance.now() - claimedAt > RENEW_MS) {
      claimedAt = performance.now()
      await database.postponeVerification(key, later(await database.readClock(), CLAIM_MS))
    }
    await pace(count)
  }
  const object = { key, plan: partPlan(bytes, chunkSize) }
  const read = await hashObject(storage, object, onBytes).catch(orDamage)
  const now = await database.readClock()
  const isRead = !(read instanceof DamagedObject)
  if (!isRead && !(await isNeeded(context, key))) {
    // It was deleted while it was read. Its row is removed together with the object.
    await database.postponeVerification(key, later(now, UNUSED_MS))
    return
  }
  const hashes = isRead ? read : { sha256: null }
  const isUnreadable = read instanceof UnreadableObject
  const dueAt = later(now, isUnreadable ? UNREADABLE_MS : nextReadMs(settings))
  const { keepVersions } = settings
  const integrity = await database.recordVerification(key, { ...hashes, dueAt, keepVersions })
  if (!integrity?.isDamaged) return
  const reason = isRead ? 'its SHA-256 is not the expected one' : read.message
  context.warn(`the object ${key} is damaged: ${reason}`, undefined)
}

/** Whether a version that can be downloaded or restored needs the object. */
async function isNeeded({ database }: Context, key: string): Promise<boolean> {
  return (await database.readStates([key])).get(key)?.status === 'ready'
}

/** The object could not be read, and its bytes may be intact. The other objects are read meanwhile. */
async function retryLater(
  { database, storage, warn }: Context,
  { key }: Verification,
  { error, retriesSoon }: { error: unknown; retriesSoon: boolean },
): Promise<void> {
  // If the whole storage is unavailable, the run ends here instead of failing for every object.
  await storage.check()
  warn(`could not verify the object ${key}; retrying later`, error)
  if (retriesSoon) return
  await database.postponeVerification(key, later(await database.readClock(), UNREADABLE_MS))
}

/** The service is stopping. Another instance, or the next start, reads the object from its beginning. */
async function release({ database, warn }: Context, { key }: Verification): Promise<void> {
  try {
    await database.postponeVerification(key, await database.readClock())
  } catch (error) {
    warn(`could not release the claim on the object ${key}; it will be verified later`, error)
  }
}

function orDamage(error: unknown): DamagedObject {
  if (error instanceof DamagedObject) return error
  throw error
}

function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds)
}

interface Rates {
  /** Bytes per second while the storage transfers nothing. */
  idle: number
  /** Bytes per second while clients upload or download. */
  busy: number
}

/** Shorter pauses cost more than they save. */
const MIN_PAUSE_MS = 5
/** After a time without reads, a burst is allowed, but for no longer than this. */
const MAX_BURST_MS = 50

/** Rejects when the signal is aborted. */
type Pace = (bytes: number, signal: AbortSignal) => Promise<void>

/**
 * Returns a function that is called after bytes were read, and waits so that all its callers together read at a
 * bounded rate.
 */
export function createPace(rates: Rates, isBusy: () => boolean): Pace {
  let freeAt = performance.now()
  return async (bytes, signal) => {
    signal.throwIfAborted()
    const rate = isBusy() ? rates.busy : rates.idle
    const now = performance.now()
    freeAt = Math.max(freeAt, now - MAX_BURST_MS) + (bytes / rate) * 1000
    const waitMs = freeAt - now
    if (waitMs >= MIN_PAUSE_MS) await pause(waitMs, undefined, { signal })
  }
}
