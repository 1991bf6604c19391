import { createFairQueue } from '../../iterables/fair-queue.ts'
import { createTimeSlicer } from '../shared/time-slicer.ts'
import {
  type Connection,
  type ConnectionListeners,
  connect,
  disableBusyTimeout,
  retryWhileBusy,
  wrapConnection,
} from './connection.ts'
import type { RunInGroup } from './unit-of-work.ts'

/** A write in short steps, which are committed together. Other requests may be served after each step. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Runs all steps in this turn of the event loop, in the caller's transaction. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** A write of up to this many rows shares a commit with others: it takes a few milliseconds. */
export const ROWS_PER_TURN = 100

interface LongWritesOptions<Methods> extends ConnectionListeners {
  file: string
  connection: Connection
  inGroup: RunInGroup
  /** Prepares the methods for a connection. */
  prepare: (connection: Connection) => Methods
}

export interface LongWrites<Methods> {
  /** Runs all steps, or none if one of them fails. `rows` is about how many rows they write. */
  run<Result>(
    account: string,
    rows: number,
    work: (methods: Methods) => Steps<Result>,
  ): Promise<Result>
  close(): void
}

/**
 * A write of many rows takes up to seconds: it runs in time slices, in a transaction on a second connection. Meanwhile
 * other requests read the previous state, and other writes wait without blocking the event loop. One long write runs at
 * a time, account by account.
 */
export function openLongWrites<Methods>(options: LongWritesOptions<Methods>): LongWrites<Methods> {
  const { file, connection, inGroup, prepare, ...listeners } = options
  const methods = prepare(connection)
  const waiting = createFairQueue<() => void>()
  let isRunning = false
  let second: ReturnType<typeof openSecond> | undefined

  function openSecond() {
    const database = connect(file)
    disableBusyTimeout(database)
    const wrapped = wrapConnection(database, listeners)
    return { database, methods: prepare(wrapped), announceNotices: wrapped.announceNotices }
  }

  async function runInSlices<Result>(work: (methods: Methods) => Steps<Result>): Promise<Result> {
    second ??= openSecond()
    const { database, methods, announceNotices } = second
    await retryWhileBusy(() => database.exec('begin immediate'))
    try {
      const result = await inSlices(work(methods))
      database.exec('commit')
      announceNotices()
      return result
    } catch (error) {
      // The database may have been closed in the meantime.
      if (database.isOpen && database.isTransaction) database.exec('rollback')
      throw error
    }
  }

  /** Other writes that have waited for this one run before the next long one: this unit waits behind them. */
  async function startNext(): Promise<void> {
    await inGroup(() => {}).catch(() => {})
    isRunning = waiting.size > 0
    waiting.takeNext()?.()
  }

  return {
    async run(account, rows, work) {
      if (rows <= ROWS_PER_TURN) return inGroup(() => runSteps(work(methods)), account)
      if (isRunning) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.add(account, resolve)
        await promise
      }
      isRunning = true
      try {
        return await runInSlices(work)
      } finally {
        void startNext()
      }
    },

    close: () => second?.database.close(),
  }
}

async function inSlices<Result>(steps: Steps<Result>): Promise<Result> {
  const yieldIfDue = createTimeSlicer()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await yieldIfDue()
  }
}
