import { formatSize } from '@stowage/protocol/format'
import type { Context } from '../operations/context.ts'

/** How long the past is that the forecast is made from. Shorter changes are chance. */
const OBSERVED_MS = 3_600_000
const MIN_OBSERVED_MS = 10 * 60_000
/** A disk that will be full within this time is reported. */
const SOON_MS = 4 * 3_600_000
/** The pause between two warnings. */
const WARN_PAUSE_MS = 3_600_000

interface Sample {
  at: number
  free: number
}

/**
 * Watches the free space of the disk storage, and warns when the disk will be full within four hours if it continues to
 * fill as in the last hour, and when uploads are refused. Does nothing for S3. Run it about once a minute.
 */
export function createDiskWatch(): (context: Context) => Promise<void> {
  let samples: Sample[] = []
  let warnedAt = -Infinity

  return async ({ storage, health, clock, warn }) => {
    const free = await storage.freeBytes()
    if (free === undefined) return
    const now = clock().getTime()
    // A sample from the future was taken before the clock was set back.
    samples = samples.filter(({ at }) => at > now - OBSERVED_MS && at <= now)
    samples.push({ at: now, free })
    const fullInMs = forecast(samples)
    health.diskFullAt = fullInMs === undefined ? undefined : inTime(now + fullInMs)
    health.disk = describe(free, fullInMs)
    if (health.disk === undefined) {
      warnedAt = -Infinity
    } else if (Math.abs(now - warnedAt) >= WARN_PAUSE_MS) {
      warnedAt = now
      warn(health.disk, undefined)
    }
  }
}

/** In how many milliseconds the disk will be full. Undefined if it is not filling, or has not been observed for long enough. */
export function forecast(samples: readonly Sample[]): number | undefined {
  const first = samples[0]
  const last = samples.at(-1)
  if (first === undefined || last === undefined || last.at - first.at < MIN_OBSERVED_MS) return
  const filled = first.free - last.free
  return filled > 0 ? (last.free / filled) * (last.at - first.at) : undefined
}

/** Undefined if it is so far away that nobody needs it. */
function inTime(time: number): Date | undefined {
  const date = new Date(time)
  return date.getUTCFullYear() < 3000 ? date : undefined
}

function describe(free: number, fullInMs: number | undefined): string | undefined {
  if (free === 0) {
    return 'the disk has only its reserve free, and uploads are refused: free space, or use a larger disk'
  }
  if (fullInMs === undefined || fullInMs > SOON_MS) return
  const minutes = Math.round(fullInMs / 60_000)
  const time = minutes < 120 ? `${minutes} minutes` : `${Math.round(minutes / 60)} hours`
  return `the disk will be full in about ${time} if it continues to fill like this: ${formatSize(free)} are free`
}
