import type { Context } from '../context.ts'

/**
 * Records that a download found changed, unreadable or missing bytes, so that the next download is refused with a
 * reason instead of a broken connection. A job soon reads the object again. If its bytes are correct then, it no longer
 * counts as damaged. Changes nothing if no version needs the object, because its asset was deleted.
 */
export async function recordDamage(context: Context, key: string): Promise<void> {
  const { database, warn } = context
  try {
    if ((await database.readStates([key])).get(key)?.status !== 'ready') return
    const dueAt = await database.readClock()
    const integrity = await database.recordVerification(key, { sha256: null, dueAt })
    if (integrity)
      warn(
        `the object ${key} is damaged: a download did not find it, could not read it, or read other bytes than were stored`,
        undefined,
      )
  } catch (error) {
    warn(`could not record that the object ${key} is damaged`, error)
  }
}
