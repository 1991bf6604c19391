import { randomBytes } from 'node:crypto'
import { access, type FileHandle, open, rm } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { dirname, join } from 'node:path'
import { awaitsContinue } from '../../node-http/expectations.ts'
import { hasCode, isMissing, move, syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, partFile, uploadFolder } from './layout.ts'
import { type Transfer, TransferEnded, type Transfers } from './open-transfers.ts'
import { openGmac } from './part-digest.ts'
import { etagOf, partFooter } from './part-file.ts'
import { openPartWriters } from './part-writer.ts'
import type { ReadBody } from './read-body.ts'
import { cutOff, refuse } from './respond.ts'
import type { PartGrant } from './signed-url.ts'
import { whileOpen } from './while-open.ts'

const openWriter = openPartWriters()

export interface Receiver {
  layout: Layout
  transfers: Transfers
  readBody: ReadBody
}

const GONE = {
  code: 'upload_not_found',
  message:
    'This upload takes no more parts: it was completed, cancelled or has expired. Read the asset to see which.',
} as const

const FULL = {
  code: 'storage_full',
  message:
    'The disk of the storage has no room for this part beside its reserve (STOWAGE_DISK_RESERVE). Free space, then send it again.',
} as const

const BUSY = {
  code: 'storage_unavailable',
  message:
    'The upload is being completed, and it is not known yet whether it takes this part. Try again.',
} as const

/**
 * Streams one part to a file beside its place, syncs it and renames it into place: a part is there
 * whole or not at all. Of two that arrive at once the newer one is taken.
 */
export async function receivePart(
  { layout, transfers, readBody }: Receiver,
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
  const transfer = transfers.begin(grant)
  try {
    const file = await whileOpen(layout, grant, () => open(incoming, 'wx'))
    try {
      // Asked before the first byte, so that a full disk does not cost the client a whole transfer.
      if (!(await transfer.hasRoom())) throw noSpace()
      if (awaitsContinue(request)) response.writeContinue()
      const digest = await writePart(file, transfer, (onBytes) =>
        readBody(request, response, onBytes),
      )
      transfer.isWhole()
      await file.datasync()
      await file.close()
      const place = partFile(folder, grant.number)
      await whileOpen(layout, grant, () => move(incoming, place))
      await syncPlace(layout, grant, folder)
      response.writeHead(200, { ETag: `"${etagOf(digest)}"`, 'Content-Length': 0 }).end()
    } catch (error) {
      await file.close()
      await removeIncoming(layout, grant, incoming)
      throw error
    }
  } catch (error) {
    if (isMissing(error)) return refuse(request, response, GONE)
    if (hasCode(error, 'EBUSY')) return refuse(request, response, BUSY)
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) return refuse(request, response, FULL)
    // Nobody is left to be answered.
    if (hasCode(error, 'ECONNRESET')) return
    if (error instanceof TransferEnded) {
      if (error.reason === 'upload ended') return refuse(request, response, GONE)
      return cutOff(request)
    }
    throw error
  } finally {
    transfer.leave()
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

/** Where a completion has sealed the folder, this waits for its end. */
async function removeIncoming(layout: Layout, grant: PartGrant, incoming: string): Promise<void> {
  try {
    await whileOpen(layout, grant, async () => {
      await access(dirname(incoming))
      await rm(incoming, { force: true })
    })
  } catch (error) {
    // It is gone with its folder; or it is removed with it, at the latest at the next start.
    if (!hasCode(error, 'ENOENT', 'EBUSY')) throw error
  }
}

function noSpace(): Error {
  return Object.assign(new Error('no space left'), { code: 'ENOSPC' })
}

async function writePart(
  file: FileHandle,
  transfer: Transfer,
  readBody: (onBytes: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<Uint8Array> {
  const digest = openGmac()
  const writer = openWriter(file.fd)
  let hasEnded = false
  try {
    const body = readBody((bytes) => {
      if (hasEnded) return
      writer.write(bytes)
      digest.update(bytes)
      transfer.took(bytes.length)
    })
    await Promise.race([body, transfer.ended])
    const tag = digest.end()
    writer.write(partFooter(tag))
    return tag
  } finally {
    hasEnded = true
    await writer.finish()
  }
}
