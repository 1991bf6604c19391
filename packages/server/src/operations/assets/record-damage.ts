import type { Context } from '../context.ts'

/**
 * Records that a download found other bytes than those that were stored, so that the next one is refused with a
 * reason instead of breaking off. The scrub reads the object again soon, and ends the damage if it was temporary.
 */
export async function recordDamage(context: Context, key: string): Promise<void> {
  const { database, warn } = context
  try {
    const dueAt = await database.readClock()
    const integrity = await database.recordVerification(key, { sha256: null, dueAt })
    if (integrity) warn(`the object ${key} is damaged: a download found other bytes`, undefined)
  } catch (error) {
    warn(`could not record that the object ${key} is damaged`, error)
  }
}
