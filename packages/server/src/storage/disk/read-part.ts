import { createReadStream } from 'node:fs'
import { type PartPlan, partLength, partRange } from '../../domain/parts.ts'
import { DamagedObject } from '../../errors.ts'
import { type Layout, objectFolder, partFile } from './layout.ts'
import { openDigest } from './part-digest.ts'
import { etagOf, readFooter } from './part-file.ts'

const READ_SIZE = 256 * 1024

/** Reads a part of an object and verifies its stored digest at the end. */
export async function* readPart(
  layout: Layout,
  { key, plan }: { key: string; plan: PartPlan },
  number: number,
): AsyncIterable<Uint8Array> {
  const path = partFile(objectFolder(layout, key), number)
  const length = partLength(partRange(plan, number))
  const stored = readFooter(path)
  if (stored?.size !== length) throw new DamagedObject(`${path} is not a part of ${length} bytes`)
  const digest = await openDigest(stored.kind)
  if (length > 0) {
    const stream = createReadStream(path, { end: length - 1, highWaterMark: READ_SIZE })
    for await (const chunk of stream) {
      digest.update(chunk)
      yield chunk
    }
  }
  const etag = etagOf(digest.end())
  if (etag !== stored.etag) throw new DamagedObject(`${path} has changed since it was stored`)
}
