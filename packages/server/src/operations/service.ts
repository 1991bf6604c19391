import type { Context, Health } from './context.ts'

/** How long a result is reused: anyone may send readiness checks, at any rate. */
const FRESH_MS = 1_000

/** Checks the engines at most once at a time and once a second, however many requests ask. */
export function openReadiness(context: Context): () => Promise<Readiness> {
  let running: Promise<Readiness> | undefined
  let last: { readiness: Readiness; at: number } | undefined

  async function check(): Promise<Readiness> {
    try {
      const readiness = await checkReadiness(context)
      last = { readiness, at: context.clock().getTime() }
      return readiness
    } finally {
      running = undefined
    }
  }

  return async () => {
    // The clock may be set back, so the age may be negative.
    const isFresh = last && Math.abs(context.clock().getTime() - last.at) < FRESH_MS
    if (last && isFresh) return last.readiness
    running ??= check()
    return running
  }
}

interface Readiness {
  database: boolean
  storage: boolean
}

async function checkReadiness(context: Context): Promise<Readiness> {
  const { warn } = context

  async function isAvailable(engine: 'database' | 'storage'): Promise<boolean> {
    try {
      await context[engine].check()
      return true
    } catch (error) {
      warn(`the ${engine} is unavailable`, error)
      return false
    }
  }

  const [database, storage] = await Promise.all([isAvailable('database'), isAvailable('storage')])
  return { database, storage }
}

/** What an operator should look at soon, although the instance serves requests. */
export function listDegradations(health: Health): string[] {
  const { failingJobs, disk, listSlow } = health
  return [
    ...(disk === undefined ? [] : [disk]),
    ...(listSlow?.() ?? []),
    ...(failingJobs.size === 0
      ? []
      : [`background jobs fail: ${[...failingJobs].join(', ')}; the log has the reasons`]),
  ]
}

/** What an operator should know about the instance. */
export function listNotes({ clock, newerMigration, secretKey }: Health): string[] {
  return [
    ...(clock === undefined ? [] : [`the clock of this instance is ${clock}`]),
    ...(newerMigration === undefined
      ? []
      : [`a newer version of Stowage has upgraded the database (migration ${newerMigration})`]),
    ...(secretKey === undefined ? [] : [`webhooks are not sent: ${secretKey}`]),
  ]
}
