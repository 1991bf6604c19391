import { putBlob } from './put-blob.ts'
import { fileChanged } from './session.ts'
import type { Range, Source, SourceOptions } from './source.ts'

/** A File, a Blob, or bytes in memory. */
export type BlobInput = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>

/** Small enough that a digest of a large part costs no memory. */
const BLOCK = 4 * 1024 * 1024

/** Only a File is remembered: of other bytes nobody can say whether they are the same again. */
export function openBlob(input: BlobInput, { name, mime }: SourceOptions): Source {
  const blob = input instanceof Blob ? input : new Blob([input])
  const file = blob as Partial<File> & { webkitRelativePath?: string }
  const isFile = file.name !== undefined && file.lastModified !== undefined
  const version = `${blob.size} ${file.lastModified}`
  const title = name ?? file.name ?? 'file'
  const path = file.webkitRelativePath || file.name

  /** What a browser has not seen change, it reads; what was written to, it refuses. */
  async function read(piece: Blob): Promise<ArrayBuffer> {
    try {
      return await piece.arrayBuffer()
    } catch {
      throw fileChanged(title)
    }
  }

  async function digest({ start, end }: Range, signal: AbortSignal | undefined): Promise<string> {
    let chain = new Uint8Array(32)
    for (let at = start; at < end; at += BLOCK) {
      signal?.throwIfAborted()
      const block = await read(blob.slice(at, Math.min(end, at + BLOCK)))
      const linked = new Blob([chain, await crypto.subtle.digest('SHA-256', block)])
      chain = new Uint8Array(await crypto.subtle.digest('SHA-256', await linked.arrayBuffer()))
    }
    return chain.slice(0, 16).join()
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
        putBlob(url, part, { signal, stallMs, onSent }).catch(async (error) => {
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

/** Only where the page is secure; elsewhere uploads are not remembered part by part. */
function canDigest(): boolean {
  return globalThis.crypto?.subtle !== undefined
}
