import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import {
  type ClaimTimes,
  UNREADABLE_MS,
  type Verification,
  type VerificationQueue,
} from '../database/verification-data.ts'
import { partPlan } from '../domain/parts.ts'
import { DamagedObject, UnreadableObject } from '../errors.ts'
import type { Context } from '../operations/context.ts'
import { hashObject } from '../storage/hash-object.ts'
import { createPace, type Pace } from './pace.ts'

/** Other instances skip an object for this long after it was claimed. Reading a large object extends the claim. */
const CLAIM_MS = 60_000
const RENEW_MS = 20_000
/** When to next read an object that no version needs, unless it is removed before then. */
const UNUSED_MS = 3_600_000

const DAY_MS = 24 * 3_600_000
/** Without a scrub, objects are not read again, so any valid time works here. */
const NO_SCRUB_MS = 365 * DAY_MS

/** Claims the next object that is due. Undefined if there is none. */
export type ClaimNext = (times: ClaimTimes) => Promise<Verification | undefined>

export interface VerificationOptions {
  claimNext: ClaimNext
  pace: Pace
  /** Whether an object that could not be read is retried when its claim ends, because its digest is not known yet. */
  retriesSoon?: boolean
}

/** At 20 MB/s, 50 TB are read in a month. */
const SCRUB_RATES = { idle: 20e6, busy: 4e6 }

/** Options for the background jobs that read objects of a queue slowly. */
export function scrubOptions({ database, storage }: Context, queue: VerificationQueue) {
  const pace = createPace(SCRUB_RATES, () => storage.isBusy())
  return { claimNext: claimFrom(database, queue), pace }
}

export function claimFrom(database: Database, queue: VerificationQueue): ClaimNext {
  return async (times) => (await database.claimVerifications(queue, times, 1))[0]
}

/**
 * Reads the objects that are due, one at a time, and records their SHA-256 or that they are damaged. An object that
 * could not be read because of an outage, or because the process was killed, is read again when its claim ends.
 * During an outage of the storage it throws at the first object.
 */
export async function verifyObjects(
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
export async function* dueObjects(
  { database, settings }: Context,
  signal: AbortSignal,
  claimNext: ClaimNext,
): AsyncIterable<Verification> {
  while (!signal.aborted) {
    const now = await database.readClock()
    const times = {
      now,
      // The margin of a day makes a small correction of the clock harmless.
      latest: later(now, nextReadMs(settings.scrubEveryMs) + DAY_MS),
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
  if (typeof read !== 'string' && !(await isNeeded(context, key))) {
    // It was deleted while it was read. Its row is removed together with the object.
    await database.postponeVerification(key, later(now, UNUSED_MS))
    return
  }
  const sha256 = typeof read === 'string' ? read : null
  const isUnreadable = read instanceof UnreadableObject
  const dueAt = later(now, isUnreadable ? UNREADABLE_MS : nextReadMs(settings.scrubEveryMs))
  const { keepVersions } = settings
  const integrity = await database.recordVerification(key, { sha256, dueAt, keepVersions })
  if (!integrity?.isDamaged) return
  const reason = typeof read === 'string' ? 'its SHA-256 is not the expected one' : read.message
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

function nextReadMs(scrubEveryMs: number): number {
  return scrubEveryMs > 0 ? scrubEveryMs : NO_SCRUB_MS
}

function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds)
}
