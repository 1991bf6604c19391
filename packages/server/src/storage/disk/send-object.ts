import { existsSync } from 'node:fs'
import { access, type FileHandle, open } from 'node:fs/promises'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { dirname } from 'node:path'
import { DamagedObject, MissingObject } from '../../domain/errors.ts'
import { partPlan, partRange } from '../../domain/parts.ts'
import { attachmentNamed } from '../shared.ts'
import type { StoredObject } from '../storage.ts'
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
  object: StoredObject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const folder = objectFolder(layout, object.key)
  const { size } = object.plan
  // The object of a key never changes, so the key can be the ETag.
  const etag = `"${object.key}"`
  const condition = checkPreconditions(request.headers, etag)
  if (condition === 'failed') {
    return refuse(request, response, {
      code: 'precondition_failed',
      message: 'The file does not have the ETag in If-Match. Download it from the start.',
      headers: { ETag: etag },
    })
  }
  const isNotModified = condition === 'not_modified'
  const range = isNotModified ? 'whole' : requestedRange(request, size, etag)
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

function requestedRange(request: IncomingMessage, size: number, etag: string) {
  const condition = request.headers['if-range']
  if (condition !== undefined && condition !== etag) return 'whole'
  return parseByteRange(request.headers.range, size)
}

/** Browsers must save the file, and neither show it, run it nor guess its type. */
function describe(object: StoredObject): Record<string, string> {
  return {
    'Content-Type': object.mime,
    'Content-Disposition': attachmentNamed(object.filename),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
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

function partAt(object: StoredObject, offset: number): number {
  return Math.floor(offset / object.plan.chunkSize) + 1
}

async function openPart(
  folder: string,
  { key }: StoredObject,
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

interface Source {
  folder: string
  object: StoredObject
  range: ByteRange
  first: FileHandle
}

/** How many chunks of a download are waiting to be sent while the next one is read. */
const MAX_WAITING = 2
/** A client that takes longer for a chunk gets small chunks, so that slow clients do not hold the large buffers. */
const SLOW_MS = 50

/**
 * Reads chunks ahead, and verifies each while others are read and sent. A part that is sent as a whole is verified before
 * its last bytes are sent, so that the download of a damaged part never completes.
 */
async function writeRange(
  writer: ResponseWriter,
  source: Source,
  buffers: DownloadBuffers,
): Promise<void> {
  const lent = new Set<Buffer>()
  let isSlow = false
  function lend(length: number): Buffer {
    const buffer = buffers.lend(isSlow ? 0 : length)
    lent.add(buffer)
    return buffer
  }
  async function send({ buffer, bytes }: Chunk): Promise<void> {
    const startMs = performance.now()
    await writer.write(bytes)
    isSlow = performance.now() - startMs > SLOW_MS
    if (lent.delete(buffer)) buffers.giveBack(buffer)
  }
  const chunks = readChunks(source, lend)
  const sending: Promise<void>[] = []
  try {
    for (let chunk = await chunks.next(); !chunk.done; ) {
      chunk.value.verify()
      if (sending.length === MAX_WAITING) await sending.shift()
      const reading = chunks.next()
      const sent = send(chunk.value)
      // Both are awaited later, or not at all if the other one fails.
      for (const pending of [reading, sent]) pending.catch(() => {})
      sending.push(sent)
      chunk = await reading
    }
    await Promise.all(sending)
  } finally {
    await chunks.return()
    // The connection may still read from the buffers of a download that failed, so they are not used again.
    for (const buffer of lent) buffers.drop(buffer)
  }
}

interface Chunk {
  buffer: Buffer
  /** The part of the buffer that was read. */
  bytes: Buffer
  /** Call it before the bytes are sent. Throws if they complete a part that has changed since it was stored. */
  verify(): void
}

/** Reads the range in chunks, each into a buffer of its own. */
async function* readChunks(
  { folder, object, range, first }: Source,
  lend: (length: number) => Buffer,
): AsyncGenerator<Chunk, void, void> {
  const plan = partPlan(object.plan.size, object.plan.chunkSize)
  for (let offset = range.start; offset < range.end; ) {
    const part = partRange(plan, partAt(object, offset))
    const end = Math.min(part.end, range.end)
    const isFirst = offset === range.start
    const file = isFirst ? first : await openPart(folder, object, part.number)
    const source = { path: partFile(folder, part.number), key: object.key }
    try {
      const isWhole = offset === part.start && end === part.end
      const check = isWhole ? await openCheck(file, source) : undefined
      while (offset < end) {
        const buffer = lend(end - offset)
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
          buffer,
          bytes,
          verify() {
            check?.update(bytes)
            if (isLast) check?.finish()
          },
        }
      }
    } finally {
      if (!isFirst) await file.close()
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
  try {
    await writeRange({ ...writer, write }, source, buffers)
    if (!response.headersSent) writeHead()
    response.end()
  } catch (error) {
    // The client disconnected, or the file was deleted during the download.
    const isGone = request.socket.destroyed || error instanceof MissingObject
    if (isGone || response.headersSent) closeConnection(request)
    if (!isGone) throw error
  } finally {
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

/** An entity tag: its optional weak prefix, and its text with the quotes. */
const ENTITY_TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/**
 * Evaluates `If-Match` and `If-None-Match` for an existing object, in the order of RFC 9110, 13.2.2. The
 * object's own tag is strong.
 */
function checkPreconditions(
  headers: IncomingHttpHeaders,
  etag: string,
): 'proceed' | 'failed' | 'not_modified' {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined && !matches(ifMatch, etag, { weakly: false })) return 'failed'
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag, { weakly: true }))
    return 'not_modified'
  return 'proceed'
}

function matches(list: string, etag: string, { weakly }: { weakly: boolean }): boolean {
  if (list.trim() === '*') return true
  return [...list.matchAll(ENTITY_TAG)].some(
    ([, weak, tag]) => tag === etag && (weakly || weak === undefined),
  )
}

/** `end` is exclusive. */
interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header (RFC 9110, 14.2). Returns `whole` if there is none, or one that a server may
 * ignore: another unit, malformed, or several ranges.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '')
  if (match === null) return 'whole'
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  if (last !== '' && Number(last) < Number(first)) return 'whole'
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

interface ResponseWriter {
  /** Resolves when the bytes can be changed; rejects if the client has disconnected. */
  write(bytes: Buffer): Promise<void>
  close(): void
}

/**
 * If the client disconnects while a pipelined response still waits for an earlier one, Node never calls back
 * for its writes. So the writer also watches the connection: the download then ends and closes its file.
 */
function openResponseWriter({ socket }: IncomingMessage, response: ServerResponse): ResponseWriter {
  const pending = new Set<(error: Error) => void>()
  function onClose(): void {
    for (const reject of pending) reject(new Error('The client has disconnected.'))
  }
  // Each pipelined download has a listener. Node would warn of a leak from the eleventh on.
  socket.setMaxListeners(0)
  socket.once('close', onClose)
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        pending.add(reject)
        if (socket.destroyed) return onClose()
        response.write(bytes, (error) => {
          pending.delete(reject)
          if (error) reject(error)
          else resolve()
        })
      }),
    close: () => socket.off('close', onClose),
  }
}
