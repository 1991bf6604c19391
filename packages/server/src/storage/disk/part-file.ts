import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredPart } from '../storage.ts'
import { isMissing } from './file-system.ts'
import type { DigestKind } from './part-digest.ts'

/**
 * A part's file contains its bytes, then their digest, then a marker that names the algorithm. One rename
 * moves bytes and digest into place together, so no reader sees one without the other.
 */
const MARKERS: Record<DigestKind, string> = { xxh3: 'stowage1', gmac: 'stowage2' }
const MARKER_LENGTH = 8
const DIGEST_LENGTH = 16
const FOOTER_LENGTH = DIGEST_LENGTH + MARKER_LENGTH

export interface Footer {
  /** The size of the part, without the footer. */
  size: number
  etag: string
  kind: DigestKind
  receivedAt: Date
}

/** How long footers are read before the event loop continues. */
const SLICE_MS = 5

/** The footer of a new part. */
export function partFooter(digest: Uint8Array): Buffer {
  return Buffer.concat([digest, Buffer.from(MARKERS.gmac)])
}

export function etagOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex')
}

/** The complete parts in a folder, ordered by number, or undefined if the folder does not exist. */
export async function readPartFiles(folder: string): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = []
  let sliceStart = performance.now()
  for (const name of listPartNames(folder) ?? []) {
    const footer = readFooter(join(folder, name))
    if (footer !== undefined) {
      const { size, etag, receivedAt } = footer
      parts.push({ number: Number(name), size, etag, receivedAt })
    }
    if (performance.now() - sliceStart > SLICE_MS) {
      await nextTurn()
      sliceStart = performance.now()
    }
  }
  // If the folder was renamed in the meantime, some parts may be missing from the list.
  return listPartNames(folder) && parts
}

function listPartNames(folder: string): string[] | undefined {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d{5}$/.test(name))
      .sort()
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Returns undefined if the file does not exist or is not a part. */
export function readFooter(path: string): Footer | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  try {
    return readFooterOf(file)
  } finally {
    closeSync(file)
  }
}

/** `readFooter` of an open file. */
export function readFooterOf(file: number): Footer | undefined {
  const { size: fileSize, mtime } = fstatSync(file)
  const size = fileSize - FOOTER_LENGTH
  if (size < 0) return undefined
  const footer = Buffer.alloc(FOOTER_LENGTH)
  readSync(file, footer, 0, FOOTER_LENGTH, size)
  const marker = footer.toString('latin1', DIGEST_LENGTH)
  const kind = marker === MARKERS.gmac ? 'gmac' : marker === MARKERS.xxh3 ? 'xxh3' : undefined
  const etag = etagOf(footer.subarray(0, DIGEST_LENGTH))
  return kind && { size, etag, kind, receivedAt: mtime }
}
