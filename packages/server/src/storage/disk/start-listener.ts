import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ErrorCode } from '@stowage/protocol/errors'
import { type ArchiveSender, createArchiveSlots, sendArchive } from '../../archives/send-archive.ts'
import { type Hmac, hmacOf } from '../../crypto/hmac.ts'
import {
  DamagedObject,
  EngineUnavailable,
  MissingObject,
  ServiceError,
  UnreadableObject,
} from '../../domain/errors.ts'
import { etagOfKey, hasFirstByte } from '../../node-http/byte-ranges.ts'
import {
  keepIdleConnections,
  SHUTDOWN_TIMEOUT_MS,
  trackConnections,
  WAITING_CONNECTIONS,
} from '../../node-http/connections.ts'
import {
  handleExpectations,
  hasUnknownExpectation,
  isMalformed,
  MALFORMED_REQUEST,
  refuseMalformedMessages,
  requestIdOf,
  UNKNOWN_EXPECTATION,
} from '../../node-http/messages.ts'
import type { OwnerSource, StorageUpload } from '../storage.ts'
import { openFastBody } from './fast-body.ts'
import { isSystemError, readFree, watchFreeSpace } from './file-system.ts'
import { layoutOf } from './folders.ts'
import { askOwner, type OwnerCall, type OwnerResult } from './owner-calls.ts'
import { openPartWriters } from './part-file.ts'
import { openBodyReader, openTimeSlices } from './read-body.ts'
import { type Receiver, receivePart } from './receive-part.ts'
import { allowAnyOrigin, refuse, respondToPreflight } from './respond.ts'
import { archiveReader, openDownloadBuffers, type Sender, sendObject } from './send-object.ts'
import { readSignedUrl } from './signed-url.ts'
import { openActivity, openTransfers } from './transfers.ts'

/** An import would also load fetch: see `http-modules.ts`. */
const { createServer } = process.getBuiltinModule('node:http')

/** A transfer may take hours, but must not stall for longer than this. */
const IDLE_MS = 120_000
/** Longer than an idle connection is kept: after a fast body, the idle connection counts as waiting for headers. */
const HEADERS_MS = 90_000

/** Receives parts and sends objects. Reports to the storage with `send`. */
function startListener(options: ListenerOptions, send: (message: ToOwner) => void) {
  const layout = layoutOf(options.directory)
  const space = watchFreeSpace(() => readFree(layout.uploads))
  const activity = openActivity(options.activity)
  const transfers = openTransfers({
    reserve: options.reserve,
    readFree: space.readRecent,
    activity,
  })
  const hmac = hmacOf(Buffer.from(options.secret, 'hex'))
  const folders = askForFolders(send)
  const owner = askOwner(send)

  function handle(request: IncomingMessage, response: ServerResponse): void {
    // Between two requests, the timeout is shorter.
    request.socket.setTimeout(IDLE_MS)
    const requestId = requestIdOf(request)
    response.setHeader('X-Request-Id', requestId)
    Atomics.add(options.transfers, 0, 1)
    response.once('close', () => Atomics.sub(options.transfers, 0, 1))
    respond(receiver, hmac, request, response).catch((error: unknown) => {
      if (error instanceof ServiceError) return refuse(request, response, error)
      report(error, { requestId, method: request.method, url: request.url })
      refuse(request, response, refusalOf(error))
    })
  }

  function report(
    error: unknown,
    { url, ...request }: { requestId: string; method: string | undefined; url: string | undefined },
  ): void {
    const key = error instanceof DamagedObject ? error.key : undefined
    // A missing object is usually a deleted file, which is not a failure.
    if (error instanceof MissingObject && key !== undefined) {
      send({ type: 'missing', key })
      return
    }
    // The query contains a signature, so only the path is logged.
    const facts = { ...request, path: url?.split('?')[0], error: String(error) }
    send({ type: 'failed', ...facts, ...(key !== undefined && { damaged: key }) })
  }

  const server = createServer(
    // We refuse a missing Host ourselves, to send our own error.
    { requestTimeout: 0, headersTimeout: HEADERS_MS, requireHostHeader: false },
    handle,
  )
  server.on('clientError', refuseMalformedMessages(server))
  handleExpectations(server)
  server.setTimeout(IDLE_MS)
  keepIdleConnections(server)
  const closeConnections = trackConnections(server, { withinMs: SHUTDOWN_TIMEOUT_MS })
  allowHalfOpen(server)
  const slices = openTimeSlices(() => performance.now())
  const readPlainBody = openBodyReader(slices)
  const readBody = options.fastBody
    ? openFastBody(server, { slices, readBody: readPlainBody })
    : readPlainBody
  const openWriter = openPartWriters()
  const buffers = openDownloadBuffers()
  const receiver: Receivers = {
    layout,
    transfers,
    openWriter,
    readBody,
    openFolder: folders.open,
    buffers,
    source: owner.source,
    slots: createArchiveSlots(),
    openReader: () => archiveReader({ layout, buffers }),
  }
  server.on('error', (error: NodeJS.ErrnoException) => {
    send({ type: 'listenFailed', code: error.code ?? '', message: error.message })
  })
  server.listen(options.port, options.host, WAITING_CONNECTIONS, () => {
    send({ type: 'listening', port: (server.address() as AddressInfo).port })
  })
  return {
    receive(message: Exclude<ToListener, { type: 'start' | 'close' }>) {
      if (message.type === 'call') owner.accept(message)
      else if (message.type === 'ended') transfers.endUpload(message.upload)
      else folders.accept(message)
    },
    close(then: () => void) {
      server.close(then)
      closeConnections()
    },
  }
}

/** Runs a listener as its owner asks. Returns the function that receives the messages of the owner. */
export function serveOwner(
  send: (message: ToOwner) => void,
  onClosed: () => void,
): (message: ToListener) => void {
  let listener: ReturnType<typeof startListener> | undefined
  return (message) => {
    if (message.type === 'start') listener = startListener(message.options, send)
    else if (message.type === 'close') listener?.close(onClosed)
    else listener?.receive(message)
  }
}

/** Asks the owner to create the folders of uploads: only the owner knows which uploads have ended. */
function askForFolders(send: (message: ToOwner) => void) {
  const waiting = new Map<number, (result: FolderResult) => void>()
  let count = 0
  return {
    async open(upload: StorageUpload): Promise<boolean> {
      count += 1
      const { promise, resolve } = Promise.withResolvers<FolderResult>()
      waiting.set(count, resolve)
      send({ type: 'openFolder', id: count, upload })
      const { isOpen, failure } = await promise
      if (failure === undefined) return isOpen
      throw Object.assign(new EngineUnavailable('storage', failure.message), { code: failure.code })
    },
    accept({ id, ...result }: FolderResult & { id: number }): void {
      waiting.get(id)?.(result)
      waiting.delete(id)
    },
  }
}

type Receivers = Receiver & Sender & ArchiveSender & { source: OwnerSource }

async function respond(
  receiver: Receivers,
  hmac: Hmac,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  allowAnyOrigin(response)
  const { method = '', url = '' } = request
  if (hasUnknownExpectation(request)) return refuse(request, response, UNKNOWN_EXPECTATION)
  const hasNoHost = request.headers.host === undefined && request.httpVersion === '1.1'
  if (hasNoHost || isMalformed(request)) {
    // A proxy may disagree about where the next request begins.
    return refuse(request, response, { ...MALFORMED_REQUEST, headers: { Connection: 'close' } })
  }
  if (!/^\/(uploads|objects|archives)\//.test(url)) {
    return refuse(request, response, {
      code: 'not_found',
      message: 'Nothing exists at this URL. The storage serves only the URLs that it signed.',
    })
  }
  if (method === 'OPTIONS') return respondToPreflight(request, response)
  const allowed = url.startsWith('/uploads/') ? ['PUT'] : ['GET', 'HEAD']
  if (!allowed.includes(method)) {
    return refuse(request, response, {
      code: 'method_not_allowed',
      message: `This URL accepts ${allowed.join(' and ')}, not ${method}.`,
      headers: { Allow: [...allowed, 'OPTIONS'].join(', ') },
    })
  }
  const grant = readSignedUrl(hmac, method === 'PUT' ? 'PUT' : 'GET', url)
  if (grant === undefined) {
    return refuse(request, response, {
      code: 'signature_invalid',
      message:
        'The signature of this URL is invalid. Use the URL exactly as the service returned it.',
    })
  }
  const isExpired = grant.expiresAt.getTime() <= Date.now()
  const renewal = grant.kind === 'download' ? grant.object.renewal : undefined
  const isRenewable = renewal !== undefined && renewal.until > Date.now()
  if (grant.kind === 'download' && isRenewable && (isExpired || !renewal.isStarted)) {
    const { key, plan } = grant.object
    const file = { size: plan.size, etag: etagOfKey(key) }
    const isStart = method === 'GET' && hasFirstByte(request.headers, file)
    if (isExpired || isStart) await receiver.source.continueDownload(renewal.download, isStart)
  } else if (isExpired) {
    return refuse(request, response, {
      code: 'url_expired',
      message: `This URL expired at ${grant.expiresAt.toISOString()}. Request a new one from the service.`,
    })
  }
  if (grant.kind === 'part') return receivePart(receiver, grant, request, response)
  if (grant.kind === 'archive') return sendArchive(receiver, grant.id, request, response)
  return sendObject(receiver, grant.object, request, response)
}

/** The options of the listener's thread. */
export interface ListenerOptions {
  directory: string
  host: string
  port: number
  /** Hexadecimal. */
  secret: string
  fastBody: boolean
  /** The number of bytes on the disk to keep free. */
  reserve: number
  /** The number of running transfers, shared with the owner. */
  transfers: Int32Array<SharedArrayBuffer>
  /** The counters of `Activity`, shared with the owner. */
  activity: Int32Array<SharedArrayBuffer>
}

export type ToListener =
  /** The first message: the thread starts before the storage is ready. */
  | { type: 'start'; options: ListenerOptions }
  | { type: 'close' }
  /** The upload accepts no more parts: running transfers are aborted. */
  | { type: 'ended'; upload: StorageUpload }
  /** The response to `openFolder`. */
  | ({ type: 'folder'; id: number } & FolderResult)
  | OwnerResult

export interface FolderResult {
  /** False if the upload has ended. */
  isOpen: boolean
  failure?: { message: string; code: string | undefined }
}

export type ToOwner =
  | { type: 'listening'; port: number }
  | { type: 'listenFailed'; code: string; message: string }
  /** The folder of an upload is missing: it must be created for the first part, or the upload has ended. */
  | { type: 'openFolder'; id: number; upload: StorageUpload }
  | OwnerCall
  /** The object of a download does not exist: it was deleted or lost. */
  | { type: 'missing'; key: string }
  /** A request failed because of the storage. */
  | {
      type: 'failed'
      requestId: string
      method: string | undefined
      path: string | undefined
      error: string
      /** The key of the object, if the request found that its bytes have changed or cannot be read. */
      damaged?: string
    }

/** The response to a request that failed before its response began. */
export function refusalOf(error: unknown): { code: ErrorCode; message: string } {
  if (error instanceof MissingObject) {
    return { code: 'object_not_found', message: 'The file is no longer stored here.' }
  }
  if (error instanceof EngineUnavailable && error.engine === 'database') {
    return {
      code: 'database_unavailable',
      message: 'The database is unavailable. Nothing was lost. Retry in a moment.',
    }
  }
  const isOutage = error instanceof UnreadableObject || error instanceof EngineUnavailable
  if (isOutage || isSystemError(error)) {
    return {
      code: 'storage_unavailable',
      message:
        'The disk of the storage failed. The log of the service has the reason. Retry in a moment.',
    }
  }
  if (error instanceof DamagedObject) {
    return {
      code: 'damaged',
      message:
        'The stored file is damaged: it has changed since the upload. Replace the file, or restore another version.',
    }
  }
  return {
    code: 'internal',
    message: 'The storage failed. The log of the service has the reason. Retry the request.',
  }
}

/**
 * Sends the response even to a client that closes its sending side after the request. Node does not
 * document this property; a Node without it closes the connection of such a client.
 */
export function allowHalfOpen(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}
