import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ArchiveSource, OpenArchive } from '../domain/archive.ts'
import { DamagedObject, ServiceError } from '../domain/errors.ts'
import { checkPreconditions, requestedRange } from '../node-http/byte-ranges.ts'
import { attachmentNamed } from '../node-http/content-disposition.ts'
import { openResponseWriter, sendChunks } from '../node-http/send-chunks.ts'
import { composeArchive, type ReadObject } from './compose-archive.ts'

export interface ArchiveSender {
  source: ArchiveSource
  slots: ArchiveSlots
  openReader(): ObjectReader
}

/** Reads objects for one response. */
export interface ObjectReader {
  readObject: ReadObject
  /** Reads that still run end soon. Idempotent. */
  close(): void
}

/**
 * Responds to GET and HEAD with the archive, or with the requested range of it. Throws a `ServiceError` before the response
 * has begun; the caller sends it, with the headers that are set already. After any other error, the caller closes the
 * connection if the response has begun.
 */
export async function sendArchive(
  { source, slots, openReader }: ArchiveSender,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const archive = await source.open(id)
  const etag = `"${archive.etag}"`
  const { bytes: size } = archive
  response.setHeader('ETag', etag)
  const condition = checkPreconditions(request.headers, etag)
  if (condition === 'failed') {
    throw new ServiceError(
      'precondition_failed',
      'The archive does not have the ETag in If-Match. Download it from the start.',
    )
  }
  if (condition === 'not_modified') return void response.writeHead(304).end()
  const range = requestedRange(request.headers, { size, etag })
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`)
    throw new ServiceError(
      'range_not_satisfiable',
      `The archive has ${size} bytes. Request a range inside it.`,
    )
  }
  const wanted = range === 'whole' ? { start: 0, end: size } : range
  await source.check(archive, wanted.start)
  function writeHead(): void {
    if (response.headersSent) return
    const headers = { ...describe(archive), 'Content-Length': wanted.end - wanted.start }
    if (range === 'whole') response.writeHead(200, headers)
    else {
      const contentRange = `bytes ${wanted.start}-${wanted.end - 1}/${size}`
      response.writeHead(206, { ...headers, 'Content-Range': contentRange })
    }
  }
  if (request.method === 'HEAD') {
    writeHead()
    return void response.end()
  }
  const release = slots.take(archive.accountId)
  const writer = openResponseWriter(request, response)
  const reader = openReader()
  const { socket } = request
  socket.once('close', reader.close)
  try {
    const { readObject } = reader
    const write = (bytes: Buffer): Promise<void> => {
      // With the first bytes: if these cannot be read, the response can still be an error.
      writeHead()
      return writer.write(bytes)
    }
    await sendChunks({ write }, composeArchive(archive, wanted, { source, readObject }))
    response.end()
  } catch (error) {
    // Otherwise, the client has disconnected.
    if (socket.destroyed) return
    // A file may have been replaced since the check, or one before the range is missing whose CRC-32 is not known.
    const from = error instanceof DamagedObject ? 0 : wanted.start
    if (!response.headersSent) await source.check(archive, from)
    throw error
  } finally {
    socket.off('close', reader.close)
    reader.close()
    writer.close()
    release()
  }
}

/** Browsers must save the archive. They ask again before they use a copy, because a file may have been deleted. */
function describe({ filename }: OpenArchive): Record<string, string> {
  return {
    'Content-Type': 'application/zip',
    'Content-Disposition': attachmentNamed(filename),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Accept-Ranges': 'bytes',
    'Cache-Control': 'private, no-cache',
  }
}

/** Each takes up to about 2 MB of memory. */
const MAX_DOWNLOADS = 32
/** So that one account does not use all. */
const MAX_DOWNLOADS_OF_ACCOUNT = 8
const RETRY_AFTER_SECONDS = 10

/** Limits how many archives are downloaded at the same time. */
export interface ArchiveSlots {
  /** Returns the function that ends the download. Throws `too_many_downloads`. */
  take(accountId: string): () => void
}

export function createArchiveSlots(): ArchiveSlots {
  const running = new Map<string, number>()
  let total = 0
  return {
    take(accountId) {
      const own = running.get(accountId) ?? 0
      if (own >= MAX_DOWNLOADS_OF_ACCOUNT || total >= MAX_DOWNLOADS) {
        const who = own >= MAX_DOWNLOADS_OF_ACCOUNT ? 'The account' : 'The instance'
        throw new ServiceError(
          'too_many_downloads',
          `${who} has too many running downloads of archives. Retry in ${RETRY_AFTER_SECONDS} s, or when one of them is complete.`,
        )
      }
      running.set(accountId, own + 1)
      total += 1
      return () => {
        const left = (running.get(accountId) ?? 1) - 1
        if (left === 0) running.delete(accountId)
        else running.set(accountId, left)
        total -= 1
      }
    },
  }
}
