import { randomUUID } from 'node:crypto'

/** The length of the counter, in bits. */
const COUNTER_BITS = 26

/**
 * Returns a function that creates UUIDs of version 7. They increase, even within a millisecond: a counter that starts at a
 * random value follows the time. The rest is cut from a `randomUUID`, because Node creates those from a pool of random
 * bytes: reading the bytes of each UUID on its own takes longer than everything else here.
 * https://www.rfc-editor.org/rfc/rfc9562#section-6.2
 */
export function createUuids(): () => string {
  let lastMs = 0
  let counter = 0

  return () => {
    const random = randomUUID()
    const now = Date.now()
    if (now > lastMs) {
      lastMs = now
      // The highest bit is free, so that the counter has room to increase.
      counter = Number.parseInt(random.slice(0, 8), 16) >>> (32 - COUNTER_BITS + 1)
    } else {
      counter += 1
      if (counter === 2 ** COUNTER_BITS) {
        counter = 0
        lastMs += 1
      }
    }
    const time = lastMs.toString(16).padStart(12, '0')
    const high = (0x7000 + (counter >>> 14)).toString(16)
    const low = (0x8000 + (counter & 0x3fff)).toString(16)
    return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${random.slice(24)}`
  }
}
