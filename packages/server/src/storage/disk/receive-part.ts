import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { basename, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { awaitsContinue, writeContinueInTurn } from '../../node-http/messages.ts'
import type { StorageUpload } from '../storage.ts'
import { hasCode, isMissing, move, syncFolder } from './file-system.ts'
import { INCOMING_PREFIX, type Layout, partFile, sealedFolder, uploadFolder } from './folders.ts'
import { etagOf, openGmac, openPartWriters, partFooter } from './part-file.ts'
import type { ReadBody } from './read-body.ts'
import { refuse } from './respond.ts'
import type { PartGrant } from './signed-url.ts'

const openWriter = openPartWriters()

export interface Receiver {
  layout: Layout
  transfers: Transfers
  readBody: ReadBody
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

/**
 * Writes one part to a temporary file, syncs it and renames it, so that a part is never incomplete. If
 * the same part arrives twice at the same time, the newer one is stored.
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
      message: `This URL accepts exactly ${grant.length} bytes, but the request has ${given}. Send the bytes from start to end of the part.`,
    })
  }
  const folder = uploadFolder(layout, grant.upload)
  const incoming = join(folder, INCOMING_PREFIX + randomBytes(8).toString('hex'))
  const transfer = transfers.begin(grant)
  try {
    const file = await whileOpen(layout, grant, () => open(incoming, 'wx'))
    try {
      // Checked before the first byte, so that the client does not send a part that is then refused.
      if (!(await transfer.hasSpace())) throw noSpace()
      if (awaitsContinue(request)) writeContinueInTurn(response)
      const digest = await writePart(file, transfer, (onBytes) =>
        readBody(request, response, onBytes),
      )
      transfer.markComplete()
      await file.datasync()
      await file.close()
      const target = partFile(folder, grant.number)
      // Otherwise an earlier PUT, whose bytes were complete before this one began, might replace this part.
      await transfer.earlierClosed
      await whileOpen(layout, grant, () => move(incoming, target))
      await syncFolders(layout, grant, folder)
      response.writeHead(200, { ETag: `"${etagOf(digest)}"`, 'Content-Length': 0 }).end()
    } catch (error) {
      await file.close()
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

/** Makes the rename durable. If the upload was completed meanwhile, its completion has synced the folder. */
async function syncFolders(layout: Layout, grant: PartGrant, folder: string): Promise<void> {
  try {
    await whileOpen(layout, grant, () => syncFolder(folder))
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  await syncFolder(dirname(folder))
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

/** The reason why a transfer is aborted. */
class TransferAborted extends Error {
  override readonly name = 'TransferAborted'
  readonly reason: 'replaced' | 'upload ended'

  constructor(reason: 'replaced' | 'upload ended') {
    super(reason)
    this.reason = reason
  }
}

interface Transfer {
  /** Rejects with `TransferAborted` when the transfer must be aborted. */
  aborted: Promise<never>
  /** Resolves when the earlier transfers of the same part are closed. Wait for it before the part is moved into place. */
  earlierClosed: Promise<unknown> | undefined
  /** Whether the disk has space for it, in addition to the reserve and all other transfers. */
  hasSpace(): Promise<boolean>
  /** Counts bytes that were written, and need no more space. */
  addWritten(bytes: number): void
  /** After this call, the transfer is not aborted. */
  markComplete(): void
  /** Call it once, when the file has been moved into place or removed. */
  close(): void
}

interface Transfers {
  /** Aborts a running transfer of the same part: a client that sends a part again has given up the earlier transfer. */
  begin(grant: PartGrant): Transfer
  /** Aborts all transfers of the upload. */
  endUpload(upload: StorageUpload): void
}

interface Running {
  upload: string
  part: string
  remaining: number
  isComplete: boolean
  /** Resolves when this transfer and the earlier ones of the same part are closed. */
  allClosed: Promise<unknown>
  abort(error: TransferAborted): void
}

/** Tracks running transfers, so that together they never use the disk's reserve. */
export function openTransfers(options: {
  reserve: number
  readFree: () => Promise<number>
}): Transfers {
  const running = new Set<Running>()
  const byPart = new Map<string, Running>()

  function abort(transfer: Running | undefined, reason: TransferAborted['reason']): void {
    if (transfer !== undefined && !transfer.isComplete) transfer.abort(new TransferAborted(reason))
  }

  return {
    begin({ upload, number, length }) {
      const { promise: aborted, reject: abortTransfer } = Promise.withResolvers<never>()
      // It may reject while nothing awaits it.
      aborted.catch(() => {})
      const name = nameOf(upload)
      const part = `${name}/${number}`
      const earlier = byPart.get(part)
      const { promise: closed, resolve: setClosed } = Promise.withResolvers<void>()
      const transfer: Running = {
        upload: name,
        part,
        remaining: length,
        isComplete: false,
        allClosed: earlier === undefined ? closed : Promise.all([earlier.allClosed, closed]),
        abort: abortTransfer,
      }
      abort(earlier, 'replaced')
      byPart.set(transfer.part, transfer)
      running.add(transfer)
      return {
        aborted,
        earlierClosed: earlier?.allClosed,
        async hasSpace() {
          const free = await options.readFree()
          const reserved = running.values().reduce((sum, { remaining }) => sum + remaining, 0)
          return free - options.reserve > reserved
        },
        addWritten(bytes) {
          transfer.remaining -= bytes
        },
        markComplete() {
          transfer.isComplete = true
        },
        close() {
          setClosed()
          running.delete(transfer)
          if (byPart.get(transfer.part) === transfer) byPart.delete(transfer.part)
        },
      }
    },

    endUpload(upload) {
      const name = nameOf(upload)
      for (const transfer of running) {
        if (transfer.upload === name) abort(transfer, 'upload ended')
      }
    },
  }
}

function nameOf({ key, id }: StorageUpload): string {
  return `${key}.${id}`
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
