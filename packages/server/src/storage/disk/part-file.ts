import { createCipheriv, hash } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  statSync,
  write,
  writeSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { crc32 } from 'node:zlib'
import { DamagedObject, UnreadableObject } from '../../domain/errors.ts'
import { type PartPlan, partLength, partRange } from '../../domain/parts.ts'
import type { ObjectHashes, StoredPart } from '../storage.ts'
import { isMissing, isReadError } from './file-system.ts'
import { type Layout, objectFolder, partFile } from './folders.ts'

/**
 * A part's file contains its bytes, then their digest, then a marker that names the format. One rename moves bytes and
 * digest into place together, so no reader sees one without the other.
 */
const MARKER = 'stowage2'
const DIGEST_LENGTH = 16
const FOOTER_LENGTH = DIGEST_LENGTH + MARKER.length

interface Footer {
  /** The size of the part, without the footer. */
  size: number
  etag: string
  receivedAt: Date
}

/** How long footers are read before the event loop continues. */
const FOOTERS_SLICE_MS = 5

/** The footer of a new part. */
export function partFooter(digest: Uint8Array): Buffer {
  return Buffer.concat([digest, Buffer.from(MARKER)])
}

export function etagOf(digest: Uint8Array): string {
  return Buffer.from(digest).toString('hex')
}

/** The complete parts in a folder, ordered by number, or undefined if the folder does not exist. */
export async function readPartFiles(folder: string): Promise<StoredPart[] | undefined> {
  const names = listNames(folder)
  const parts = names && (await readParts(folder, names))
  // If the folder was renamed in the meantime, some parts may be missing from the list.
  return statSync(folder, { throwIfNoEntry: false }) && parts
}

/** The complete parts among the files of a folder, ordered by number. */
export async function readParts(folder: string, names: string[]): Promise<StoredPart[]> {
  const parts: StoredPart[] = []
  let sliceStart = performance.now()
  for (const name of names.filter((name) => /^\d{5}$/.test(name)).sort()) {
    const footer = readFooter(join(folder, name))
    if (footer !== undefined) {
      const { size, etag, receivedAt } = footer
      parts.push({ number: Number(name), size, etag, receivedAt })
    }
    if (performance.now() - sliceStart > FOOTERS_SLICE_MS) {
      await nextTurn()
      sliceStart = performance.now()
    }
  }
  return parts
}

function listNames(folder: string): string[] | undefined {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

/** Returns undefined if the file does not exist or is not a part. */
function readFooter(path: string): Footer | undefined {
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
  if (footer.toString('latin1', DIGEST_LENGTH) !== MARKER) return undefined
  return { size, etag: etagOf(footer.subarray(0, DIGEST_LENGTH)), receivedAt: mtime }
}

const READ_SIZE = 256 * 1024

/** Reads a part of an object and verifies its stored digest at the end. */
export async function* readPart(
  layout: Layout,
  { key, plan }: { key: string; plan: PartPlan },
  number: number,
  { reuseBuffer = false, from = 0 }: { reuseBuffer?: boolean; from?: number } = {},
): AsyncIterable<Uint8Array> {
  const path = partFile(objectFolder(layout, key), number)
  const length = partLength(partRange(plan, number))
  const stored = await retryReads({ path }, () => readFooter(path))
  if (stored?.size !== length) throw new DamagedObject(`${path} is not a part of ${length} bytes`)
  const digest = openGmac()
  for await (const chunk of readBytes(path, { start: from, end: length }, reuseBuffer)) {
    digest.update(chunk)
    yield chunk
  }
  const etag = etagOf(digest.end())
  if (from === 0 && etag !== stored.etag)
    throw new DamagedObject(`${path} has changed since it was stored`)
}

/** The largest object that a completion hashes: this blocks the event loop for about a millisecond. */
const SMALL_OBJECT = 1_000_000

/**
 * Returns the hashes of a small object with one part, whose bytes are usually still in the page cache: reading it at once
 * costs less than a job does. Undefined for other objects, and if anything is wrong: then the job reads the object, and finds out.
 */
export function hashSmallObject(
  layout: Layout,
  key: string,
  plan: PartPlan,
): ObjectHashes | undefined {
  if (plan.count !== 1 || plan.size > SMALL_OBJECT) return undefined
  try {
    const file = readFileSync(partFile(objectFolder(layout, key), 1))
    const bytes = file.subarray(0, plan.size)
    const digest = openGmac()
    digest.update(bytes)
    if (!file.subarray(plan.size).equals(partFooter(digest.end()))) return undefined
    return { sha256: hash('sha256', bytes), crc32: crc32(bytes) }
  } catch {
    return undefined
  }
}

/** Repeats a read that failed. */
async function* readBytes(
  path: string,
  { start, end }: { start: number; end: number },
  reuseBuffer: boolean,
): AsyncIterable<Uint8Array> {
  const newBuffer = () => Buffer.allocUnsafeSlow(Math.min(READ_SIZE, end - start))
  let buffer = newBuffer()
  let file: FileHandle | undefined
  try {
    for (let position = start, failures = 1; position < end; ) {
      const size = Math.min(buffer.length, end - position)
      let bytesRead: number
      try {
        file ??= await open(path, 'r')
        bytesRead = (await file.read(buffer, 0, size, position)).bytesRead
      } catch (error) {
        await pauseAfterReadError(error, failures, { path })
        failures += 1
        continue
      }
      // The file is shorter now, so its digest differs.
      if (bytesRead === 0) return
      position += bytesRead
      yield buffer.subarray(0, bytesRead)
      if (!reuseBuffer) buffer = newBuffer()
    }
  } finally {
    await file?.close()
  }
}

/** Writes the bytes of one part to its file, from the start. */
export interface PartWriter {
  /** The bytes may be overwritten once it returns. Throws if this write or an earlier one failed. */
  write(bytes: Uint8Array): void
  /** Waits for all writes. Close the file only after that. Throws if a write failed. */
  finish(): Promise<void>
}

/** How many buffers all transfers share. */
const SPARE_BUFFERS = 4
const SPARE_LENGTH = 512 * 1024

/**
 * The maximum number of bytes of one system call. Linux caches each write in a memory block of about its size. A
 * virtual machine returns large free blocks to its host, and getting them back costs more than the
 * write: writes of 512 KiB use up to twice the CPU.
 */
const WRITE_LENGTH = 64 * 1024

/** Parts up to this length are written synchronously: their few writes take less time than handing them to the pool. */
const SMALL_PART = 256 * 1024

/**
 * Writes in Node's thread pool while it keeps up, so that one core reads and computes digests while
 * another writes. If it does not keep up, this thread writes synchronously: memory stays bounded, and
 * a pool that is busy with syncs delays no part.
 */
export function openPartWriters(): (fd: number, length?: number) => PartWriter {
  const spare = Array.from({ length: SPARE_BUFFERS }, () => Buffer.allocUnsafeSlow(SPARE_LENGTH))

  return (fd, length = Number.POSITIVE_INFINITY) => {
    const usesPool = length > SMALL_PART
    let position = 0
    let pending = 0
    let failure: Error | undefined
    let onIdle: (() => void) | undefined

    function writeInPool(buffer: Buffer<ArrayBuffer>, length: number, start: number): void {
      function next(at: number): void {
        const count = Math.min(WRITE_LENGTH, length - at)
        write(fd, buffer, at, count, start + at, (error, written) => {
          if (error === null && at + written < length) return next(at + written)
          failure ??= error ?? undefined
          spare.push(buffer)
          pending -= 1
          if (pending === 0) onIdle?.()
        })
      }
      pending += 1
      next(0)
    }

    function writeSynchronously(bytes: Uint8Array, start: number): void {
      // A nearly full disk writes fewer bytes than given, and refuses the rest.
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(fd, bytes, at, Math.min(WRITE_LENGTH, bytes.length - at), start + at)
      }
    }

    return {
      write(bytes) {
        if (failure) throw failure
        const start = position
        position += bytes.length
        const buffer = usesPool && bytes.length <= SPARE_LENGTH ? spare.pop() : undefined
        if (buffer === undefined) return writeSynchronously(bytes, start)
        buffer.set(bytes)
        writeInPool(buffer, bytes.length, start)
      },
      async finish() {
        if (pending > 0) {
          await new Promise<void>((resolve) => {
            onIdle = resolve
          })
        }
        if (failure) throw failure
      },
    }
  }
}

interface PartDigest {
  update(bytes: Uint8Array): void
  /** Returns the 16 bytes of the digest. */
  end(): Uint8Array
}

/** Not secret: the digest detects damage, it does not authenticate. */
const GMAC_KEY = Buffer.from('stowage part key')
const GMAC_IV = Buffer.from('stowage part')

/**
 * AES-GCM with the data as additional authenticated data: nothing is encrypted. OpenSSL uses the
 * processor's instructions for it.
 */
export function openGmac(): PartDigest {
  const cipher = createCipheriv('aes-128-gcm', GMAC_KEY, GMAC_IV)
  return {
    update: (bytes) => void cipher.setAAD(bytes),
    end() {
      cipher.final()
      return cipher.getAuthTag()
    },
  }
}

/** The pauses before a failed read is repeated. A disk often succeeds at a later attempt. */
const READ_PAUSES_MS = [100, 1_000]

/** The file to read. With `key`, the error `UnreadableObject` names the object. */
export interface ReadSource {
  path: string
  key?: string
}

/** Repeats a read if the disk fails. Throws `UnreadableObject` if it fails repeatedly. */
export async function retryReads<Result>(
  source: ReadSource,
  read: () => Result | Promise<Result>,
): Promise<Result> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await read()
    } catch (error) {
      await pauseAfterReadError(error, failures, source)
    }
  }
}

/** Waits until a failed read can be repeated. Throws if the error has another cause, or after too many failures. */
async function pauseAfterReadError(
  error: unknown,
  failures: number,
  { path, key }: ReadSource,
): Promise<void> {
  if (!isReadError(error)) throw error
  const pauseMs = READ_PAUSES_MS[failures - 1]
  if (pauseMs === undefined)
    throw new UnreadableObject(`the disk cannot read ${path}: ${error}`, key)
  await pause(pauseMs)
}
