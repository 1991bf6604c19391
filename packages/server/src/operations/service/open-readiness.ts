import type { Context } from '../context.ts'
import { checkReadiness, type Readiness } from './check-readiness.ts'

/** How long an answer is given again: anyone may ask, as often as they like. */
const FRESH_MS = 1_000

/** Asks the engines at most once at a time and once a second, however many ask whether they answer. */
export function openReadiness(context: Context): () => Promise<Readiness> {
  let running: Promise<Readiness> | undefined
  let last: { readiness: Readiness; at: number } | undefined

  async function ask(): Promise<Readiness> {
    try {
      const readiness = await checkReadiness(context)
      last = { readiness, at: context.clock().getTime() }
      return readiness
    } finally {
      running = undefined
    }
  }

  return async () => {
    // A clock may be set back.
    const isFresh = last && Math.abs(context.clock().getTime() - last.at) < FRESH_MS
    if (last && isFresh) return last.readiness
    running ??= ask()
    return running
  }
}
