import { readFile } from 'node:fs/promises'

/**
 * Reads each file once and returns the same bytes to every caller, so that slow clients hold no copies.
 * A failed read is not cached.
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
