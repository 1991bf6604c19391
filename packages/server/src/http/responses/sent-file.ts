import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { openStorageReader } from '../../archives/storage-reader.ts'
import { ServiceError } from '../../domain/errors.ts'
import { checkPreconditions, etagOfKey, requestedRange } from '../../node-http/byte-ranges.ts'
import { attachmentNamed } from '../../node-http/content-disposition.ts'
import { type Chunk, openResponseWriter, sendChunks } from '../../node-http/send-chunks.ts'
import type { Context } from '../../operations/context.ts'
import type { SignedFile } from '../../operations/downloads.ts'

/** What a response to this request has: a range of the file, or nothing of it. */
function readRequest(headers: IncomingHttpHeaders, file: SignedFile) {
  const etag = etagOfKey(file.key)
  const condition = checkPreconditions(headers, etag)
  if (condition !== 'proceed') return condition
  return requestedRange(headers, { size: file.bytes, etag })
}

/** The headers of the whole file, which browsers must save. */
export function describeFile(file: SignedFile): Record<string, string | number> {
  return {
    'Content-Type': file.mime,
    'Content-Length': file.bytes,
    'Content-Disposition': attachmentNamed(file.filename),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Accept-Ranges': 'bytes',
    // RFC 9530: the digest of the whole file, even in the response to a range request.
    ...(file.sha256 !== null && {
      'Repr-Digest': `sha-256=:${Buffer.from(file.sha256, 'hex').toString('base64')}:`,
    }),
  }
}

interface SentFile {
  context: Pick<Context, 'storage' | 'clock'>
  file: SignedFile
  /** Asked again and again while the file is sent. If it returns false, the connection is closed. */
  isAllowed(): Promise<boolean>
}

/** A client that reads nothing for so long is disconnected. */
const STALLED_MS = 120_000
const CHECK_EVERY_MS = 60_000

/**
 * Responds to GET with the file, or with the requested range of it. Throws a `ServiceError` before the response has begun;
 * the caller sends it. After any other error, the caller closes the connection if the response has begun.
 */
export async function sendFile(
  sent: SentFile,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { context, file } = sent
  const { bytes: size } = file
  const wanted = readRequest(request.headers, file)
  response.setHeader('ETag', etagOfKey(file.key))
  if (wanted === 'failed') {
    throw new ServiceError(
      'precondition_failed',
      'The file does not have the ETag in If-Match. Download it from the start.',
    )
  }
  if (wanted === 'not_modified') return void response.writeHead(304).end()
  if (wanted === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`)
    throw new ServiceError(
      'range_not_satisfiable',
      `The file has ${size} bytes. Request a range inside it.`,
    )
  }
  const range = wanted === 'whole' ? { start: 0, end: size } : wanted
  const headers = { ...describeFile(file), 'Content-Length': range.end - range.start }
  const writeHead = () => {
    if (response.headersSent) return
    if (wanted === 'whole') response.writeHead(200, headers)
    else {
      const contentRange = `bytes ${range.start}-${range.end - 1}/${size}`
      response.writeHead(206, { ...headers, 'Content-Range': contentRange })
    }
  }
  response.setTimeout(STALLED_MS)
  const writer = openResponseWriter(request, response)
  const reader = openStorageReader(context.storage)
  const { socket } = request
  socket.once('close', reader.close)
  try {
    const write = (bytes: Buffer): Promise<void> => {
      // With the first bytes: if these cannot be read, the response can still be an error.
      writeHead()
      return writer.write(bytes)
    }
    await sendChunks({ write }, whileAllowed(sent, reader.readObject({ ...file, size }, range)))
    writeHead()
    response.end()
  } catch (error) {
    // Otherwise, the client has disconnected.
    if (!socket.destroyed) throw error
  } finally {
    socket.off('close', reader.close)
    reader.close()
    writer.close()
  }
}

async function* whileAllowed(
  { context: { clock }, isAllowed }: SentFile,
  chunks: AsyncGenerator<Chunk>,
): AsyncGenerator<Chunk> {
  let checkedAt = clock().getTime()
  for await (const chunk of chunks) {
    if (clock().getTime() - checkedAt >= CHECK_EVERY_MS) {
      if (!(await isAllowed())) throw new Error('The order no longer allows the download.')
      checkedAt = clock().getTime()
    }
    yield chunk
  }
}

/** So that a slow buyer does not use up the memory. */
const MAX_SENT = 256
/** A download manager reads one file by several connections. */
const MAX_SENT_OF_DOWNLOAD = 16

/** Limits how many files are sent at the same time. */
export function createSendingSlots() {
  const running = new Map<string, number>()
  let total = 0
  return {
    /** Returns the function that ends the use of the slot; undefined if there is none. */
    take(download: string): (() => void) | undefined {
      const own = running.get(download) ?? 0
      if (own >= MAX_SENT_OF_DOWNLOAD || total >= MAX_SENT) return undefined
      running.set(download, own + 1)
      total += 1
      return () => {
        const left = (running.get(download) ?? 1) - 1
        if (left === 0) running.delete(download)
        else running.set(download, left)
        total -= 1
      }
    },
  }
}
