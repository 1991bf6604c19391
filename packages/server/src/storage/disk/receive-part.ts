import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import { type FileHandle, open, rename, rm, statfs } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { createXXHash128 } from 'hash-wasm'
import { awaitsContinue } from '../../expectations.ts'
import type { PartGrant } from './address.ts'
import { hasCode, isMissing, syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, partFile, uploadFolder } from './layout.ts'
import { etagOf, partFooter } from './part-file.ts'
import { refuse } from './respond.ts'
import { takeBody } from './take-body.ts'
import { whileOpen } from './while-open.ts'

/** For all parts in turns: each hasher would own a piece of WebAssembly's memory. */
const hasher = await createXXHash128()

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
    const file = await whileOpen(layout, grant, () => open(incoming, 'wx'))
    try {
      if (!(await hasRoomFor(layout, length))) throw noSpace()
      if (awaitsContinue(request)) response.writeContinue()
      const digest = await writePart(file, request, response)
      await file.datasync()
      await file.close()
      const place = partFile(folder, grant.number)
      await whileOpen(layout, grant, () => rename(incoming, place))
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
    // Nobody is left to be answered.
    if (hasCode(error, 'ECONNRESET')) return
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

async function writePart(
  file: FileHandle,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Uint8Array> {
  let state = hasher.init().save()
  await takeBody(request, response, (bytes) => {
    state = hasher.load(state).update(bytes).save()
    writeAll(file, bytes)
  })
  const digest = hasher.load(state).digest('binary')
  writeAll(file, partFooter(digest))
  return digest
}

/** The thread waits: it is about as long as handing the bytes to another one, and holds no copies. */
function writeAll(file: FileHandle, bytes: Uint8Array): void {
  // A disk that is nearly full takes less than it was given, and refuses the rest.
  for (let at = 0; at < bytes.length; ) at += writeSync(file.fd, bytes, at)
}
