import { partPlan } from '../domain/parts.ts'
import type { Storage } from '../storage/storage.ts'
import type { ObjectReader } from './send-archive.ts'

/** Reads the files of an archive through the port. */
export function openStorageReader(storage: Pick<Storage, 'readPart'>): ObjectReader {
  let isClosed = false
  return {
    async *readObject({ key, size, chunkSize }, range) {
      const plan = partPlan(size, chunkSize)
      for (let position = range.start; position < range.end; ) {
        const number = Math.floor(position / chunkSize) + 1
        const from = position - (number - 1) * chunkSize
        for await (const bytes of storage.readPart({ key, plan }, number, { from })) {
          if (isClosed) throw new Error('The response has ended.')
          const wanted = bytes.subarray(0, range.end - position)
          position += wanted.length
          yield { bytes: Buffer.from(wanted.buffer, wanted.byteOffset, wanted.length) }
          // The rest of the part is not read.
          if (position === range.end) return
        }
      }
    },
    close() {
      isClosed = true
    },
  }
}
