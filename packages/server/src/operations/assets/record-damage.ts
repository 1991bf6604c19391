import type { Context } from '../context.ts'

/**
 * Records that a download found changed or unreadable bytes, so that the next one is refused with a reason and its
 * connection does not break. The scrub soon reads the object again. If it finds the right bytes, the object is no
 * longer damaged.
 */
export async function recordDamage(context: Context, key: string): Promise<void> {
  const { database, warn } = context
  try {
    const dueAt = await database.readClock()
    const integrity = await database.recordVerification(key, { sha256: null, dueAt })
    if (integrity)
      warn(
        `the object ${key} is damaged: a download could not read it, or read other bytes than were stored`,
        undefined,
      )
  } catch (error) {
    warn(`could not record that the object ${key} is damaged`, error)
  }
}
