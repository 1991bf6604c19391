import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredPart } from '../storage.ts'
import { isMissing } from './file-system.ts'
import type { DigestKind } from './part-digest.ts'

/**
 * A part's file is its bytes, then its digest, then a mark that names the kind of digest. So one
 * rename puts bytes and digest in place together, and no reader ever sees the one without the other.
 */
const MARKS: Record<DigestKind, string> = { xxh3: 'stowage1', gmac: 'stowage2' }
const MARK_LENGTH = 8
const DIGEST_LENGTH = 16
const FOOTER_LENGTH = DIGEST_LENGTH + MARK_LENGTH

export interface Footer {
  /** Of the part's bytes. */
  size: number
  etag: string
  kind: DigestKind
  receivedAt: Date
}

/** How long footers are read before others get their turn. */
const TURN_MS = 5

/** Of a part that is received now. */
export function partFooter(digest: Uint8Array): Buffer {
  return Buffer.concat([digest, Buffer.from(MARKS.gmac)])
}

export function etagOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex')
}

/** The whole parts in a folder, by number; undefined when the folder does not exist. */
export async function readPartFiles(folder: string): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = []
  let turnStart = performance.now()
  for (const name of listPartNames(folder) ?? []) {
    const footer = readFooter(join(folder, name))
    if (footer !== undefined) {
      const { size, etag, receivedAt } = footer
      parts.push({ number: Number(name), size, etag, receivedAt })
    }
    if (performance.now() - turnStart > TURN_MS) {
      await nextTurn()
      turnStart = performance.now()
    }
  }
  // The folder may have been renamed away meanwhile, with some of its parts not seen.
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

/** Undefined when the file is not there (any more) or was not written by us. */
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

/** The same of a file that is open. */
export function readFooterOf(file: number): Footer | undefined {
  const { size: fileSize, mtime } = fstatSync(file)
  const size = fileSize - FOOTER_LENGTH
  if (size < 0) return undefined
  const footer = Buffer.alloc(FOOTER_LENGTH)
  readSync(file, footer, 0, FOOTER_LENGTH, size)
  const mark = footer.toString('latin1', DIGEST_LENGTH)
  const kind = mark === MARKS.gmac ? 'gmac' : mark === MARKS.xxh3 ? 'xxh3' : undefined
  const etag = etagOf(footer.subarray(0, DIGEST_LENGTH))
  return kind && { size, etag, kind, receivedAt: mtime }
}
