import { type FileHandle, open } from 'node:fs/promises'
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
  { reuseBuffer = false }: { reuseBuffer?: boolean } = {},
): AsyncIterable<Uint8Array> {
  const path = partFile(objectFolder(layout, key), number)
  const length = partLength(partRange(plan, number))
  const stored = await retryReads({ path }, () => readFooter(path))
  if (stored?.size !== length) throw new DamagedObject(`${path} is not a part of ${length} bytes`)
  const digest = await openDigest(stored.kind)
  for await (const chunk of readStart(path, length, reuseBuffer)) {
    digest.update(chunk)
    yield chunk
  }
  const etag = etagOf(digest.end())
  if (etag !== stored.etag) throw new DamagedObject(`${path} has changed since it was stored`)
}

/** Reads the first `length` bytes of a file. Repeats a read that failed. */
async function* readStart(
  path: string,
  length: number,
  reuseBuffer: boolean,
): AsyncIterable<Uint8Array> {
  const newBuffer = () => Buffer.allocUnsafeSlow(Math.min(READ_SIZE, length))
  let buffer = newBuffer()
  let file: FileHandle | undefined
  try {
    for (let position = 0, failures = 1; position < length; ) {
      const size = Math.min(buffer.length, length - position)
      let bytesRead: number
      try {
        file ??= await open(path, 'r')
        bytesRead = (await file.read(buffer, 0, size, position)).bytesRead
      } catch (error) {
        await pauseAfterReadError(error, failures, { path })
        failures += 1
        continue
      }
      // The file is shorter now, so its digest differs.
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
      if (!reuseBuffer) buffer = newBuffer()
    }
  } finally {
    await file?.close()
  }
}
