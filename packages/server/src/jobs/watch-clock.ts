import { skewText } from '../domain/clock-skew.ts'
import type { Context } from '../operations/context.ts'

/**
 * Compares this instance’s clock with the database’s, and warns when they start to differ. Uploads expire
 * by the database’s clock, but this instance signs URLs by its own.
 */
export async function watchClock(context: Context): Promise<void> {
  const { database, clock, health, warn } = context
  const before = clock().getTime()
  const theirs = (await database.readClock()).getTime()
  const ours = (before + clock().getTime()) / 2
  const text = skewText(ours - theirs)
  if (text !== undefined && health.clock === undefined) {
    warn(`the clock of this machine is ${text}: set it, or run an NTP service`, undefined)
  }
  health.clock = text
}
