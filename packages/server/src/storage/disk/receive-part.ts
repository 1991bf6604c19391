import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { createXXHash128, type IHasher } from 'hash-wasm'
import type { PartGrant } from './address.ts'
import { garbageCollector } from './collect-garbage.ts'
import { hasCode, isMissing, syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, partFile, uploadFolder } from './layout.ts'
import { etagOf, partFooter } from './part-file.ts'
import { refuse } from './respond.ts'

/** Chunks off the wire are gathered to this size before they are written. */
const WRITE_SIZE = 256 * 1024

const GONE = {
  code: 'upload_not_found',
  message:
    'This upload takes no more parts: it was completed, cancelled or has expired. Read the asset to see which.',
} as const

const FULL = {
  code: 'storage_full',
  message: 'The disk of the storage has no room for this part. Free space, then send it again.',
} as const

/**
 * Streams one part to a file beside its place, syncs it and renames it into place: a part is there
 * whole or not at all, and of two that arrive at once one whole part remains.
 */
export async function receivePart(
  layout: Layout,
  grant: PartGrant,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const length = Number(request.headers['content-length'])
  if (length !== grant.length) {
    const given = Number.isNaN(length) ? 'no Content-Length' : `${length}`
    return refuse(request, response, {
      code: 'wrong_length',
      message: `This address takes exactly ${grant.length} bytes, but the request has ${given}. Send the bytes from start to end of the part.`,
    })
  }
  const folder = uploadFolder(layout, grant.upload)
  const incoming = join(folder, INCOMING_PREFIX + randomBytes(8).toString('hex'))
  try {
    const file = await open(incoming, 'wx')
    try {
      if (!(await hasRoomFor(layout, length))) throw noSpace()
      if (request.headers.expect !== undefined) response.writeContinue()
      const digest = await writePart(file, request)
      await file.datasync()
      await file.close()
      await rename(incoming, partFile(folder, grant.number))
      await syncFolder(folder)
      await syncFolder(dirname(folder))
      response.writeHead(200, { ETag: `"${etagOf(digest)}"`, 'Content-Length': 0 }).end()
    } catch (error) {
      await file.close()
      await rm(incoming, { force: true })
      throw error
    }
  } catch (error) {
    if (isMissing(error)) return refuse(request, response, GONE)
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) return refuse(request, response, FULL)
    // The client went away in the middle: nobody is left to be answered.
    if (request.destroyed && !request.complete) return
    throw error
  }
}

/** Asked before the first byte, so that a full disk does not cost the client a whole transfer. */
async function hasRoomFor(layout: Layout, length: number): Promise<boolean> {
  const { bavail, bsize } = await statfs(layout.uploads)
  return bavail * bsize > length
}

function noSpace(): Error {
  return Object.assign(new Error('no space left'), { code: 'ENOSPC' })
}

async function writePart(file: FileHandle, request: IncomingMessage): Promise<Uint8Array> {
  const hasher = await takeHasher()
  let gathered: Buffer[] = []
  let gatheredLength = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    hasher.update(chunk)
    gathered.push(chunk)
    gatheredLength += chunk.length
    if (gatheredLength >= WRITE_SIZE) {
      await writeAll(file, gathered)
      collectGarbage(gatheredLength)
      gathered = []
      gatheredLength = 0
    }
  }
  const digest = hasher.digest('binary')
  idleHashers.push(hasher)
  await writeAll(file, [...gathered, partFooter(digest)])
  return digest
}

async function writeAll(file: FileHandle, buffers: Buffer[]): Promise<void> {
  const length = buffers.reduce((sum, buffer) => sum + buffer.length, 0)
  const { bytesWritten } = await file.writev(buffers)
  if (bytesWritten === length) return
  // A disk that is nearly full takes less than it was given, and refuses the rest.
  let rest = Buffer.concat(buffers).subarray(bytesWritten)
  while (rest.length > 0) {
    const written = await file.write(rest)
    rest = rest.subarray(written.bytesWritten)
  }
}

const collectGarbage = garbageCollector()

/** Each hasher owns a piece of WebAssembly memory, so they are used again. */
const idleHashers: IHasher[] = []

async function takeHasher(): Promise<IHasher> {
  const hasher = idleHashers.pop() ?? (await createXXHash128())
  return hasher.init()
}
