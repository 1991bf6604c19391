import { type PartPlan, partRange } from '../domain/parts.ts'
import type { StorageContents } from '../storage/storage.ts'

/**
 * Reads the bytes of an object from `start` to `end` (exclusive), whatever its part size. Reads every
 * part to its end, as only then its digest is verified.
 */
export async function* readRange(
  contents: Pick<StorageContents, 'readPart'>,
  object: { key: string; plan: PartPlan },
  { start, end }: { start: number; end: number },
): AsyncIterable<Uint8Array> {
  const { plan } = object
  const first = Math.floor(start / plan.chunkSize) + 1
  for (let number = first; number <= plan.count; number += 1) {
    let offset = partRange(plan, number).start
    if (offset >= end && number > first) return
    for await (const chunk of contents.readPart(object, number)) {
      const from = Math.max(0, start - offset)
      const to = Math.min(chunk.length, end - offset)
      if (to > from) yield chunk.subarray(from, to)
      offset += chunk.length
    }
  }
}
