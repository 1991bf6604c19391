import { closeSync, fstatSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredPart } from '../storage.ts'
import { isMissing } from './file-system.ts'

/**
 * A part's file is its bytes, then its digest, then a mark. So one rename puts bytes and digest in
 * place together, and no reader ever sees the one without the other.
 */
const MARK = Buffer.from('stowage1')
const DIGEST_LENGTH = 16
export const FOOTER_LENGTH = DIGEST_LENGTH + MARK.length

/** How long footers are read before others get their turn. */
const TURN_MS = 5

export function partFooter(digest: Uint8Array): Buffer {
  return Buffer.concat([digest, MARK])
}

export function etagOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex')
}

/** The whole parts in a folder, by number; undefined when the folder does not exist. */
export async function readPartFiles(folder: string): Promise<StoredPart[] | undefined> {
  const parts: StoredPart[] = []
  let turnStart = performance.now()
  for (const name of listPartNames(folder) ?? []) {
    const part = readPartFile(join(folder, name), Number(name))
    if (part !== undefined) parts.push(part)
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
export function readPartFile(path: string, number: number): StoredPart | undefined {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  try {
    const size = fstatSync(file).size - FOOTER_LENGTH
    if (size < 0) return undefined
    const footer = Buffer.alloc(FOOTER_LENGTH)
    readSync(file, footer, 0, FOOTER_LENGTH, size)
    if (!footer.subarray(DIGEST_LENGTH).equals(MARK)) return undefined
    return { number, size, etag: etagOf(footer.subarray(0, DIGEST_LENGTH)) }
  } finally {
    closeSync(file)
  }
}
