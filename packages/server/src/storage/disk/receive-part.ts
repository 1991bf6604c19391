import { randomBytes } from 'node:crypto'
import { closeSync, existsSync, fdatasync, openSync } from 'node:fs'
import { unlink } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { awaitsContinue, writeContinueInTurn } from '../../node-http/messages.ts'
import type { StorageUpload } from '../storage.ts'
import { hasCode, isMissing, moveNow, syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, partFile, sealedFolder, uploadFolder } from './folders.ts'
import { etagOf, openGmac, type PartWriter, partFooter } from './part-file.ts'
import type { ReadBody } from './read-body.ts'
import { refuse } from './respond.ts'
import type { PartGrant } from './signed-url.ts'
import { type Transfer, TransferAborted, type Transfers } from './transfers.ts'

export interface Receiver {
  layout: Layout
  transfers: Transfers
  openWriter: (fd: number, length: number) => PartWriter
  readBody: ReadBody
  /** Creates the folder of an upload that has no part yet. Returns false if the upload has ended. */
  openFolder(upload: StorageUpload): Promise<boolean>
}

const GONE = {
  code: 'upload_not_found',
  message:
    'This upload accepts no more parts: it was completed or cancelled, or it has expired. Call GET /assets/:id to see the status.',
} as const

const FULL = {
  code: 'storage_full',
  message:
    'The disk of the storage does not have enough space for this part: STOWAGE_DISK_RESERVE is kept free. Free up space, then send the part again.',
} as const

const REPLACED = {
  code: 'part_replaced',
  message:
    'A newer PUT of this part arrived and replaces this one. If you did not send it, call GET /assets/:id/upload to see whether the storage has the part.',
} as const

const BUSY = {
  code: 'storage_unavailable',
  message:
    'The upload is being completed. Retry: the part is accepted if the completion is refused.',
} as const

const syncData = promisify(fdatasync)

/**
 * Writes one part to a temporary file, syncs it and renames it, so that a part is never incomplete. If
 * the same part arrives twice at the same time, the newer one is stored.
 *
 * Only the syncs, and the writes of large parts, run in Node's thread pool. For a small file, handing each call to the
 * pool would cost more than the calls.
 */
export async function receivePart(
  receiver: Receiver,
  grant: PartGrant,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { layout, transfers } = receiver
  const length = Number(request.headers['content-length'])
  if (length !== grant.length) {
    const given = Number.isNaN(length) ? 'no Content-Length' : `${length}`
    return refuse(request, response, {
      code: 'wrong_length',
      message: `This URL accepts exactly ${grant.length} bytes, but the request has ${given}. Send the bytes from start to end of the part.`,
    })
  }
  const folder = uploadFolder(layout, grant.upload)
  const incoming = join(folder, INCOMING_PREFIX + randomBytes(8).toString('hex'))
  const transfer = transfers.begin(grant)
  try {
    const file = await openIncoming(receiver, grant, incoming)
    try {
      const digest = await receiveBytes(receiver, { file, length, transfer }, request, response)
      const target = partFile(folder, grant.number)
      // Otherwise an earlier PUT, whose bytes were complete before this one began, might replace this part.
      await transfer.earlierClosed
      await transfer.moveIntoPlace(() => whileOpen(layout, grant, () => moveNow(incoming, target)))
      await syncFolders(layout, grant, folder)
      transfer.markSynced()
      response.writeHead(200, { ETag: `"${etagOf(digest)}"`, 'Content-Length': 0 }).end()
    } catch (error) {
      await removeIncoming(layout, grant, basename(incoming))
      throw error
    }
  } catch (error) {
    // A missing folder means that the upload has ended, except while the disk is not mounted.
    if (isMissing(error) && existsSync(layout.uploads)) return refuse(request, response, GONE)
    if (hasCode(error, 'EBUSY')) return refuse(request, response, BUSY)
    if (hasCode(error, 'ENOSPC', 'EDQUOT')) return refuse(request, response, FULL)
    // The client has disconnected.
    if (hasCode(error, 'ECONNRESET')) return
    if (error instanceof TransferAborted) {
      return refuse(request, response, error.reason === 'replaced' ? REPLACED : GONE)
    }
    throw error
  } finally {
    transfer.close()
  }
}

/** Opens the temporary file. The first part of an upload creates its folder. */
async function openIncoming(
  { layout, openFolder }: Receiver,
  grant: PartGrant,
  path: string,
): Promise<number> {
  // Checked first, because an error for each first part would cost more.
  if (existsSync(dirname(path))) {
    try {
      return openSync(path, 'wx')
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
  const isSealed = existsSync(sealedFolder(layout, grant.upload))
  if (!isSealed && !(await openFolder(grant.upload))) throw folderMissing()
  return whileOpen(layout, grant, async () => openSync(path, 'wx'))
}

/** Writes the body and its digest to the file, syncs it and closes it. Returns the digest. */
async function receiveBytes(
  { openWriter, readBody }: Receiver,
  { file, length, transfer }: { file: number; length: number; transfer: Transfer },
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Uint8Array> {
  try {
    // Checked before the first byte, so that the client does not send a part that is then refused.
    if (!(await transfer.hasSpace())) throw noSpace()
    if (awaitsContinue(request)) writeContinueInTurn(response)
    const digest = await writePart(openWriter(file, length), transfer, (onBytes) =>
      readBody(request, response, onBytes),
    )
    transfer.markComplete()
    await syncData(file)
    return digest
  } finally {
    closeSync(file)
  }
}

/** Makes the rename durable. If the upload was completed meanwhile, its completion has synced the folder. */
async function syncFolders(layout: Layout, grant: PartGrant, folder: string): Promise<void> {
  const own = whileOpen(layout, grant, () => syncFolder(folder)).catch((error) => {
    if (!isMissing(error)) throw error
  })
  // Its parent, too: this may be the first part, which has created the folder.
  await Promise.all([own, syncFolder(dirname(folder))])
}

/** After this many checks that find the file in neither folder, it was removed with its folder, or by a completion. */
const MAX_MISSES = 5
const PAUSE_MS = 2

/**
 * Removes the temporary file from the folder of the upload, under its open or its sealed name. A completion may rename
 * the folder between any two steps. A file that was not found would use disk space until the next start.
 */
async function removeIncoming(layout: Layout, grant: PartGrant, name: string): Promise<void> {
  const folders = [uploadFolder(layout, grant.upload), sealedFolder(layout, grant.upload)]
  for (let misses = 0; misses < MAX_MISSES; ) {
    // Both checks are synchronous, so that a rename between them is unlikely.
    const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
    if (path === undefined) {
      misses += 1
      await pause(PAUSE_MS)
      continue
    }
    try {
      return await unlink(path)
    } catch (error) {
      if (!isMissing(error)) throw error
    }
  }
}

function folderMissing(): Error {
  return Object.assign(new Error('the upload has ended'), { code: 'ENOENT' })
}

function noSpace(): Error {
  return Object.assign(new Error('no space left'), { code: 'ENOSPC' })
}

async function writePart(
  writer: PartWriter,
  transfer: Transfer,
  readBody: (onBytes: (bytes: Uint8Array) => void) => Promise<void>,
): Promise<Uint8Array> {
  const digest = openGmac()
  let hasEnded = false
  try {
    const body = readBody((bytes) => {
      if (hasEnded) return
      writer.write(bytes)
      digest.update(bytes)
      transfer.addWritten(bytes.length)
    })
    await Promise.race([body, transfer.aborted])
    const tag = digest.end()
    writer.write(partFooter(tag))
    return tag
  } finally {
    hasEnded = true
    await writer.finish()
  }
}

const SEALED_PAUSE_MS = 2
/** A completion compares thousands of parts in a second, but may take many seconds on a busy machine. */
const MAX_SEALED_ATTEMPTS = 15_000
/**
 * After this many checks that find neither the open nor the sealed folder, the upload has ended. One check is
 * not enough, because the folder may be renamed while both paths are checked.
 */
const MAX_FOLDER_MISSES = 3

/**
 * Runs a step in the folder of an open upload. While a completion has sealed the folder, the step is
 * retried: it succeeds if the completion is refused, fails with ENOENT if the upload has ended, and
 * fails with EBUSY if neither happens for a long time.
 */
async function whileOpen<Result>(
  layout: Layout,
  { upload }: PartGrant,
  step: () => Promise<Result>,
): Promise<Result> {
  let misses = 0
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await step()
    } catch (error) {
      if (!isMissing(error)) throw error
      if (attempt === MAX_SEALED_ATTEMPTS) throw stillSealed()
      const exists =
        existsSync(sealedFolder(layout, upload)) || existsSync(uploadFolder(layout, upload))
      misses = exists ? 0 : misses + 1
      if (misses === MAX_FOLDER_MISSES) throw error
      await pause(SEALED_PAUSE_MS)
    }
  }
}

function stillSealed(): Error {
  return Object.assign(new Error('the upload is still being completed'), { code: 'EBUSY' })
}
