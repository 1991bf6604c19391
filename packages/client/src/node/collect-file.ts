import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StowageError } from '../errors.ts'
import type { Source, SourceOptions } from '../upload/source.ts'
import type { ByteStream } from '../upload/stream-source.ts'
import { openFile } from './file-source.ts'
import type { Agents } from './put-range.ts'

/**
 * A stream of unknown length, by way of a temporary file, which is gone after the upload: the service
 * has to know the size before the first part. The file is for the user alone.
 */
export async function collectFile(
  stream: ByteStream,
  { name = 'file', signal, ...options }: SourceOptions & { agents: Agents },
): Promise<Source> {
  const folder = await mkdtemp(join(tmpdir(), 'stowage-'))
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    const path = join(folder, 'stream')
    await pipeline(Readable.from(bytesOf(stream)), createWriteStream(path, { mode: 0o600 }), {
      signal,
    })
    const source = await openFile(path, { ...options, name })
    return {
      ...source,
      key: undefined,
      close: () => source.close().finally(remove),
    }
  } catch (error) {
    await remove()
    if (error instanceof TypeError) throw error
    signal?.throwIfAborted()
    throw new StowageError('file_unreadable', `${name} cannot be read to its end.`, {
      cause: error,
    })
  }
}

async function* bytesOf(stream: ByteStream): AsyncGenerator<Uint8Array> {
  for await (const chunk of stream) {
    if (!(chunk instanceof Uint8Array)) {
      throw new TypeError(
        `Cannot upload a stream of ${typeof chunk}s. Its chunks must be Uint8Arrays.`,
      )
    }
    yield chunk
  }
}
