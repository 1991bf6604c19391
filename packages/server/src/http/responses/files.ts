import { readFile } from 'node:fs/promises'

/**
 * Reads each file once and returns the same buffer to every caller, so that responses to slow clients do not
 * keep copies in memory. A failed read is not cached.
 */
export function openFileCache(): (file: URL) => Promise<Buffer> {
  const reads = new Map<string, Promise<Buffer>>()

  async function readOnce(file: URL): Promise<Buffer> {
    try {
      return await readFile(file)
    } catch (error) {
      reads.delete(file.href)
      throw error
    }
  }

  return (file) => {
    const reading = reads.get(file.href) ?? readOnce(file)
    reads.set(file.href, reading)
    return reading
  }
}

/** Whether the client accepts this encoding: `gzip, br` accepts gzip, `gzip;q=0` does not. */
export function acceptsEncoding(accepted: string | undefined, encoding: string): boolean {
  return new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`).test(accepted ?? '')
}
