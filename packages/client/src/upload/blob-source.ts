import { pause } from '../pause.ts'
import { folderPath } from './folder-path.ts'
import { putBody } from './put-body.ts'
import { fileChanged } from './session.ts'
import type { Range, Source, SourceOptions } from './source.ts'

/** Digests are computed in blocks of this size, to use little memory. */
const BLOCK = 1024 * 1024
const READ_MS = 2000

/** Only the state of a File is saved: other bytes cannot be recognized later. */
export function openBlob(blob: Blob, { name, mime }: SourceOptions): Source {
  const file = blob as Partial<File> & { webkitRelativePath?: string }
  const isFile = 'lastModified' in blob
  const version = `${blob.size} ${file.lastModified}`
  const title = name ?? file.name ?? 'file'
  const relativePath = file.webkitRelativePath || file.name

  /**
   * Reads a block into memory that is reused, because browsers let discarded blocks accumulate to hundreds
   * of megabytes. Browsers refuse to read a file that was written to since it was chosen.
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
      // Releases the buffers of the stream without waiting for garbage collection.
      void reader.cancel()
      if (read?.value?.length === size) return read.value
    } catch {
      // Some browsers lack this mode, and in Chromium the read sometimes never settles.
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
    path: folderPath(file.webkitRelativePath ?? ''),
    key: isFile ? `${relativePath} ${version}` : undefined,
    version,
    isWatched: false,
    async compare(before) {
      if (before !== version) return 'changed'
      return isFile && canDigest() ? 'unsure' : 'same'
    },
    digest,
    async put(url, range, { signal, stallMs, onSent, onDigest }) {
      const part = blob.slice(range.start, range.end)
      // The digest is computed in parallel. If the request fails, reading a byte finds out whether the file
      // was written to.
      const [response] = await Promise.all([
        putBody(url, part, { signal, stallMs, onSent }).catch(async (error) => {
          await read(part.slice(0, 1))
          throw error
        }),
        isFile && canDigest() ? digest(range, signal).then(onDigest) : undefined,
      ])
      return response
    },
    close: async () => {},
  }
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** Only secure pages have crypto.subtle. In others, parts have no digests. */
function canDigest(): boolean {
  return globalThis.crypto?.subtle !== undefined
}
