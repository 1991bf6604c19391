import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rm, statfs } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { awaitsContinue } from '../../expectations.ts'
import type { PartGrant } from './address.ts'
import { hasCode, isMissing, move, syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, partFile, uploadFolder } from './layout.ts'
import { openGmac } from './part-digest.ts'
import { etagOf, partFooter } from './part-file.ts'
import { openPartWriters } from './part-writer.ts'
import { refuse } from './respond.ts'
import { takeBody } from './take-body.ts'
import { whileOpen } from './while-open.ts'

const openWriter = openPartWriters()

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
      await whileOpen(layout, grant, () => move(incoming, place))
      await syncPlace(layout, grant, folder)
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

/** Makes the part's place survive a power cut. Whoever ended the upload since has taken care of it. */
async function syncPlace(layout: Layout, grant: PartGrant, folder: string): Promise<void> {
  try {
    await whileOpen(layout, grant, () => syncFolder(folder))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await syncFolder(dirname(folder))
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
  const digest = openGmac()
  const writer = openWriter(file.fd)
  try {
    await takeBody(request, response, (bytes) => {
      writer.write(bytes)
      digest.update(bytes)
    })
    const tag = digest.end()
    writer.write(partFooter(tag))
    return tag
  } finally {
    await writer.finish()
  }
}
