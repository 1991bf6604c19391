import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'

/** The SHA-256 of a file, in hexadecimal. Throws the reason of the signal if it is aborted. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  try {
    for await (const bytes of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
      hash.update(bytes)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
  return hash.digest('hex')
}
