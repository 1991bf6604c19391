import { createReadStream } from 'node:fs'
import { type PartPlan, partLength, partRange } from '../../domain/parts.ts'
import { DamagedObject } from '../../errors.ts'
import { type Layout, objectFolder, partFile } from './layout.ts'
import { openDigest } from './part-digest.ts'
import { etagOf, readFooter } from './part-file.ts'
import { pauseAfterReadError, retryReads } from './retry-reads.ts'

const READ_SIZE = 256 * 1024

/** Reads a part of an object and verifies its stored digest at the end. */
export async function* readPart(
  layout: Layout,
  { key, plan }: { key: string; plan: PartPlan },
  number: number,
): AsyncIterable<Uint8Array> {
  const path = partFile(objectFolder(layout, key), number)
  const length = partLength(partRange(plan, number))
  const stored = await retryReads({ path }, () => readFooter(path))
  if (stored?.size !== length) throw new DamagedObject(`${path} is not a part of ${length} bytes`)
  const digest = await openDigest(stored.kind)
  for await (const chunk of readStart(path, length)) {
    digest.update(chunk)
    yield chunk
  }
  const etag = etagOf(digest.end())
  if (etag !== stored.etag) throw new DamagedObject(`${path} has changed since it was stored`)
}

/** Reads the first `length` bytes of a file. Repeats a read that failed. */
async function* readStart(path: string, length: number): AsyncIterable<Uint8Array> {
  for (let position = 0, failures = 1; position < length; failures += 1) {
    const range = { start: position, end: length - 1, highWaterMark: READ_SIZE }
    try {
      for await (const chunk of createReadStream(path, range)) {
        position += chunk.length
        yield chunk
      }
      // If the file is shorter now, its digest differs.
      return
    } catch (error) {
      await pauseAfterReadError(error, failures, { path })
    }
  }
}
