import { existsSync } from 'node:fs'
import { access, type FileHandle, open } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import type { ObjectReader } from '../../archives/send-archive.ts'
import { DamagedObject, MissingObject } from '../../domain/errors.ts'
import { partPlan, partRange } from '../../domain/parts.ts'
import {
  type ByteRange,
  checkPreconditions,
  etagOfKey,
  requestedRange,
} from '../../node-http/byte-ranges.ts'
import { dispositionOf } from '../../node-http/content-disposition.ts'
import { type Chunk, openResponseWriter, sendChunks } from '../../node-http/send-chunks.ts'
import type { DownloadedObject, StoredObject } from '../storage.ts'
import { isMissing } from './file-system.ts'
import { type Layout, objectFolder, partFile } from './folders.ts'
import { etagOf, openGmac, type ReadSource, readFooterOf, retryReads } from './part-file.ts'
import { closeConnection, refuse } from './respond.ts'

export interface Sender {
  layout: Layout
  buffers: DownloadBuffers
}

/** Responds to GET and HEAD with the object, or with the requested range of it. */
export async function sendObject(
  { layout, buffers }: Sender,
  object: DownloadedObject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const folder = objectFolder(layout, object.key)
  const { size } = object.plan
  const etag = etagOfKey(object.key)
  const condition = checkPreconditions(request.headers, etag)
  if (condition === 'failed') {
    return refuse(request, response, {
      code: 'precondition_failed',
      message: 'The file does not have the ETag in If-Match. Download it from the start.',
      headers: { ETag: etag },
    })
  }
  const isNotModified = condition === 'not_modified'
  const range = isNotModified ? 'whole' : requestedRange(request.headers, { size, etag })
  if (range === 'unsatisfiable') {
    return refuse(request, response, {
      code: 'range_not_satisfiable',
      message: `The file has ${size} bytes. Request a range inside it.`,
      headers: { 'Content-Range': `bytes */${size}` },
    })
  }
  const isWhole = range === 'whole'
  const wanted = isWhole ? { start: 0, end: size } : range
  const first = await openPart(folder, object, partAt(object, wanted.start))
  function writeHead(): void {
    const headers = { ...describe(object), ETag: etag, 'Content-Length': wanted.end - wanted.start }
    if (isNotModified) {
      response.writeHead(304, { ETag: etag })
    } else if (isWhole) {
      response.writeHead(200, headers)
    } else {
      const contentRange = `bytes ${wanted.start}-${wanted.end - 1}/${size}`
      response.writeHead(206, { ...headers, 'Content-Range': contentRange })
    }
  }
  try {
    if (request.method === 'HEAD' || isNotModified) {
      writeHead()
      response.end()
    } else {
      await stream(request, response, { folder, object, range: wanted, first, writeHead, buffers })
    }
  } finally {
    await first.close()
  }
}

/**
 * Browsers must save the file, and neither show it, run it nor guess its type, unless it is inline. Their viewers of PDF files do
 * not work in a sandbox.
 */
function describe(object: DownloadedObject): Record<string, string> {
  return {
    'Content-Type': object.mime,
    'Content-Disposition': dispositionOf(object),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': object.isInline
      ? "default-src 'none'; frame-ancestors 'none'"
      : "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Accept-Ranges': 'bytes',
    // RFC 9530: the digest of the whole file, even in the response to a range request.
    ...(object.sha256 && { 'Repr-Digest': reprDigest(object.sha256) }),
    'Cache-Control': 'private, max-age=3600',
  }
}

function reprDigest(sha256: string): string {
  return `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`
}

function partAt(object: PlannedObject, offset: number): number {
  return Math.floor(offset / object.plan.chunkSize) + 1
}

async function openPart(
  folder: string,
  { key }: PlannedObject,
  number: number,
): Promise<FileHandle> {
  const path = partFile(folder, number)
  try {
    return await retryReads({ path, key }, () => open(path, 'r'))
  } catch (error) {
    if (!isMissing(error)) throw error
    // The folder of an object is removed as a whole.
    if (existsSync(folder)) throw new DamagedObject(`${path} is missing`, key)
    // If the disk is not mounted, `access` throws, so that the object is not reported as missing.
    await access(dirname(dirname(folder)))
    throw new MissingObject(`${folder} is missing`, key)
  }
}

type PlannedObject = Pick<StoredObject, 'key' | 'plan'>

interface Source {
  folder: string
  object: PlannedObject
  range: ByteRange
  first?: FileHandle
}

/** A client that takes longer for a chunk gets small chunks, so that slow clients do not hold the large buffers. */
const SLOW_MS = 50

/** The buffers that one response has borrowed. */
interface Lender {
  lend(length: number): Buffer
  /** `tookMs`: how long sending the bytes took, if they were sent. */
  giveBack(buffer: Buffer, tookMs?: number): void
  /** Nothing can be borrowed any longer. The connection may still read from the buffers, so they are not used again. */
  close(): void
}

function openLender(buffers: DownloadBuffers): Lender {
  const lent = new Set<Buffer>()
  let isSlow = false
  let isClosed = false
  return {
    lend(length) {
      if (isClosed) throw new Error('The response has ended.')
      const buffer = buffers.lend(isSlow ? 0 : length)
      lent.add(buffer)
      return buffer
    },
    giveBack(buffer, tookMs) {
      if (tookMs !== undefined) isSlow = tookMs > SLOW_MS
      if (lent.delete(buffer)) buffers.giveBack(buffer)
    },
    close() {
      isClosed = true
      for (const buffer of lent) buffers.drop(buffer)
      lent.clear()
    },
  }
}

/** Reads the range in chunks, each into a buffer of its own. `first` is the file of the first part, if it is open. */
async function* readChunks(
  { folder, object, range, first }: Source,
  lender: Lender,
): AsyncGenerator<Chunk> {
  const plan = partPlan(object.plan.size, object.plan.chunkSize)
  for (let offset = range.start; offset < range.end; ) {
    const part = partRange(plan, partAt(object, offset))
    const end = Math.min(part.end, range.end)
    const isOpen = first !== undefined && offset === range.start
    const file = isOpen ? first : await openPart(folder, object, part.number)
    const source = { path: partFile(folder, part.number), key: object.key }
    try {
      const isWhole = offset === part.start && end === part.end
      const check = isWhole ? await openCheck(file, source) : undefined
      while (offset < end) {
        const buffer = lender.lend(end - offset)
        const length = Math.min(buffer.length, end - offset)
        const start = offset - part.start
        const { bytesRead } = await retryReads(source, () => file.read(buffer, 0, length, start))
        if (bytesRead === 0) {
          throw new DamagedObject('a part is shorter than when it was stored', object.key)
        }
        offset += bytesRead
        const bytes = buffer.subarray(0, bytesRead)
        const isLast = offset === end
        yield {
          bytes,
          release: (tookMs) => lender.giveBack(buffer, tookMs),
          verify() {
            check?.update(bytes)
            if (isLast) check?.finish()
          },
        }
      }
    } finally {
      if (!isOpen) await file.close()
    }
  }
}

const SMALL_BUFFER = 64 * 1024
const LARGE_BUFFER = 512 * 1024
/** Enough for 8 downloads. */
const MAX_LARGE = 24
const MAX_SPARE_SMALL = 64

/** Buffers that all downloads of a listener share. */
export interface DownloadBuffers {
  /** A large buffer, if it is useful for this many bytes and not too many are lent. Otherwise a small one. */
  lend(length: number): Buffer
  /** Call it when nothing uses the bytes any longer. */
  giveBack(buffer: Buffer): void
  /** Instead of `giveBack`, if something may still use the bytes. */
  drop(buffer: Buffer): void
}

/**
 * Large buffers need half the CPU time of small ones. Their number is limited, so that many downloads do not need more
 * memory.
 */
export function openDownloadBuffers(): DownloadBuffers {
  const small: Buffer[] = []
  const large: Buffer[] = []
  let lentLarge = 0

  function drop(buffer: Buffer): void {
    if (buffer.length === LARGE_BUFFER) lentLarge -= 1
  }

  return {
    lend(length) {
      if (length <= SMALL_BUFFER || lentLarge === MAX_LARGE) {
        return small.pop() ?? Buffer.allocUnsafeSlow(SMALL_BUFFER)
      }
      lentLarge += 1
      return large.pop() ?? Buffer.allocUnsafeSlow(LARGE_BUFFER)
    },
    giveBack(buffer) {
      drop(buffer)
      if (buffer.length === LARGE_BUFFER) large.push(buffer)
      else if (small.length < MAX_SPARE_SMALL) small.push(buffer)
    },
    drop,
  }
}

/** Sends the headers with the first bytes: if these cannot be read, the response can still be an error. */
async function stream(
  request: IncomingMessage,
  response: ServerResponse,
  {
    writeHead,
    buffers,
    ...source
  }: Source & {
    writeHead: () => void
    buffers: DownloadBuffers
  },
): Promise<void> {
  const writer = openResponseWriter(request, response)
  function write(bytes: Buffer): Promise<void> {
    if (!response.headersSent) writeHead()
    return writer.write(bytes)
  }
  const lender = openLender(buffers)
  try {
    await sendChunks({ write }, readChunks(source, lender))
    if (!response.headersSent) writeHead()
    response.end()
  } catch (error) {
    // The client disconnected, or the file was deleted during the download.
    const isGone = request.socket.destroyed || error instanceof MissingObject
    if (isGone || response.headersSent) closeConnection(request)
    if (!isGone) throw error
  } finally {
    lender.close()
    writer.close()
  }
}

interface PartCheck {
  update(bytes: Uint8Array): void
  /** Throws if the bytes differ from those that were stored. */
  finish(): void
}

/** Verifies a whole part against its stored digest. */
async function openCheck(file: FileHandle, source: Required<ReadSource>): Promise<PartCheck> {
  const stored = await retryReads(source, () => readFooterOf(file.fd))
  const digest = openGmac()
  return {
    update: digest.update,
    finish() {
      if (etagOf(digest.end()) === stored?.etag) return
      throw new DamagedObject(
        'a part has changed since it was stored; run `stowage doctor --verify` to find it',
        source.key,
      )
    },
  }
}

/** Reads the files of an archive like those of downloads. */
export function archiveReader({ layout, buffers }: Sender): ObjectReader {
  const lender = openLender(buffers)
  return {
    readObject: ({ key, size, chunkSize }, range) => {
      const object = { key, plan: partPlan(size, chunkSize) }
      return readChunks({ folder: objectFolder(layout, key), object, range }, lender)
    },
    close: lender.close,
  }
}
