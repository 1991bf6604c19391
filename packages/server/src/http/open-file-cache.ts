import { readFile } from 'node:fs/promises'

/**
 * Reads each file once, and gives the same bytes to every caller: clients that read slowly hold no copy of
 * their own. A read that fails is not remembered.
 */
export function shareFiles(): (file: URL) => Promise<Buffer> {
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
