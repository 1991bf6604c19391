import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** How many bytes may come off the wire between two collections. */
const EVERY_BYTES = 8 * 1024 * 1024

/**
 * Bytes off the wire lie outside of V8's heap, and V8, which sees only the small objects that hold
 * them, is in no hurry: on a busy machine a hundred megabytes pile up. A collection of the young
 * objects takes a fraction of a millisecond and frees them.
 */
export function garbageCollector(): (bytes: number) => void {
  setFlagsFromString('--expose-gc')
  const collect: (options: { type: 'minor' }) => void = runInNewContext('gc')
  let sinceLast = 0
  return (bytes) => {
    sinceLast += bytes
    if (sinceLast < EVERY_BYTES) return
    sinceLast = 0
    collect({ type: 'minor' })
  }
}
