import { createReadStream } from 'node:fs'
import { createXXHash128 } from 'hash-wasm'
import { type PartPlan, partLength, partRange } from '../../domain/parts.ts'
import { DamagedObject } from '../../errors.ts'
import { type Layout, objectFolder, partFile } from './layout.ts'
import { etagOf, readPartFile } from './part-file.ts'

const READ_SIZE = 256 * 1024

/** Reads a part of an object and compares it with the digest that was stored with it. */
export async function* readPart(
  layout: Layout,
  { key, plan }: { key: string; plan: PartPlan },
  number: number,
): AsyncIterable<Uint8Array> {
  const path = partFile(objectFolder(layout, key), number)
  const length = partLength(partRange(plan, number))
  const stored = readPartFile(path, number)
  if (stored?.size !== length) throw new DamagedObject(`${path} is not a part of ${length} bytes`)
  const hasher = await createXXHash128()
  if (length > 0) {
    const stream = createReadStream(path, { end: length - 1, highWaterMark: READ_SIZE })
    for await (const chunk of stream) {
      hasher.update(chunk)
      yield chunk
    }
  }
  const etag = etagOf(hasher.digest('binary'))
  if (etag !== stored.etag) throw new DamagedObject(`${path} has changed since it was stored`)
}
