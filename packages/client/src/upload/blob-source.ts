import { pause } from '../retry-policy.ts'
import { putBody } from './put-body.ts'
import { fileChanged } from './session.ts'
import type { Range, Source, SourceOptions } from './source.ts'

/** Small enough that a digest of a large part costs no memory. */
const BLOCK = 1024 * 1024
const READ_MS = 2000

/** Only a File is remembered: of other bytes nobody can say whether they are the same again. */
export function openBlob(blob: Blob, { name, mime }: SourceOptions): Source {
  const file = blob as Partial<File> & { webkitRelativePath?: string }
  const isFile = 'lastModified' in blob
  const version = `${blob.size} ${file.lastModified}`
  const title = name ?? file.name ?? 'file'
  const path = file.webkitRelativePath || file.name

  /**
   * Reads a block into memory that is used again and again: what is thrown away, browsers let gather
   * to hundreds of megabytes. What was written to meanwhile, they refuse to read.
   */
  async function read(
    block: Blob,
    memory = new ArrayBuffer(BLOCK),
  ): Promise<Uint8Array<ArrayBuffer>> {
    const { size } = block
    try {
      const reader = block.stream().getReader({ mode: 'byob' })
      const reading = reader.read(new Uint8Array(memory, 0, size), { min: size })
      const read = await Promise.race([reading, pause(READ_MS)])
      // Or what it was read through stays until memory is tidied up.
      void reader.cancel()
      if (read?.value?.length === size) return read.value
    } catch {
      // Not every browser reads into given memory, and Chromium forgets to answer now and then.
    }
    const bytes = await block.arrayBuffer().catch(() => {
      throw fileChanged(title)
    })
    return new Uint8Array(bytes)
  }

  async function digest({ start, end }: Range, signal: AbortSignal | undefined): Promise<string> {
    const digests: number[] = []
    let memory: ArrayBuffer | undefined
    const part = blob.slice(start, end)
    for (let at = 0; at < part.size; at += BLOCK) {
      signal?.throwIfAborted()
      const block = await read(part.slice(at, at + BLOCK), memory)
      memory = block.buffer
      digests.push(...(await sha256(block)))
    }
    return (await sha256(new Uint8Array(digests))).slice(0, 16).join()
  }

  return {
    name: title,
    size: blob.size,
    mime: mime ?? blob.type,
    key: isFile ? `${path} ${version}` : undefined,
    version,
    isWatched: false,
    async compare(before) {
      if (before !== version) return 'changed'
      return isFile && canDigest() ? 'unsure' : 'same'
    },
    digest,
    async put(url, range, { signal, stallMs, onSent, onDigest }) {
      const part = blob.slice(range.start, range.end)
      // Reads beside the sending; a file that was written to meanwhile can't be read any more.
      const [answer] = await Promise.all([
        putBody(url, part, { signal, stallMs, onSent }).catch(async (error) => {
          await read(part.slice(0, 1))
          throw error
        }),
        isFile && canDigest() ? digest(range, signal).then(onDigest) : undefined,
      ])
      return answer
    },
    close: async () => {},
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** Only where the page is secure; elsewhere uploads are not remembered part by part. */
function canDigest(): boolean {
  return globalThis.crypto?.subtle !== undefined
}
