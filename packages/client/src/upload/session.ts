import type { Asset, ProductReferences, ResumedUpload, UploadSession } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import type { Call, Request } from '../request.ts'
import type { Range, Source } from './source.ts'
import type { SavedUpload } from './store.ts'

/** What the service and the storage know of an upload. Renewing changes it in place. */
export interface Session {
  id: string
  uploadId: string
  chunkSize: number
  /** Of the parts that are missing. */
  addresses: Map<number, string>
  /** Of the parts that the storage holds. */
  received: Map<number, { etag: string; size: number }>
  /** When the addresses are to be signed anew. */
  renewAt: number
  /** Nothing is left to send: it is being completed, or is ready. */
  isOver: boolean
}

/** What every call of an upload is made with. */
export type CallOptions = Pick<Call, 'signal' | 'patience' | 'retry' | 'onRetry' | 'timeoutMs'>

const SHORTEST_LIFE_MS = 1_000

export function sessionOf(answer: UploadSession | ResumedUpload): Session {
  const now = Date.now()
  const expiresAt = answer.expires_at === null ? now : Date.parse(answer.expires_at)
  // A clock that is wrong must not make us ask all the time.
  const lifeMs = Math.max(SHORTEST_LIFE_MS, expiresAt - now)
  const { received = [], status = 'uploading' } = answer as Partial<ResumedUpload>
  return {
    id: answer.id,
    uploadId: answer.upload_id,
    chunkSize: answer.chunk_size,
    addresses: new Map(answer.urls.map(({ part, url }) => [part, url])),
    received: new Map(
      received.map(({ PartNumber, ETag, size }) => [PartNumber, { etag: ETag, size }]),
    ),
    renewAt: now + lifeMs * 0.8,
    isOver: status !== 'uploading',
  }
}

/** Repeating it with the same key gives the same session, with addresses for all parts. */
export async function requestSession(
  request: Request,
  { name, size, mime, chunkSize, idempotencyKey }: SavedUpload,
  call: CallOptions,
): Promise<Session> {
  return sessionOf(
    await request.json<UploadSession>('/assets/signed', {
      ...call,
      method: 'POST',
      headers: { 'Idempotency-Key': idempotencyKey },
      body: { name, size, mime, chunk_size: chunkSize },
    }),
  )
}

export async function readSession(
  request: Request,
  id: string,
  call: CallOptions,
): Promise<Session> {
  return sessionOf(await request.json<ResumedUpload>('/assets/:id/upload', { ...call, id }))
}

/** Declares another size. Parts must not be on their way. */
export async function resizeSession(
  request: Request,
  session: Session,
  { size, ...call }: CallOptions & { size: number },
): Promise<void> {
  const { id } = session
  const fresh = sessionOf(
    await request.json<ResumedUpload>('/assets/:id/upload', {
      ...call,
      id,
      method: 'PATCH',
      body: { size },
    }),
  )
  const received = new Map([...fresh.received, ...session.received])
  Object.assign(session, { ...fresh, received })
}

/** Undefined when it was cancelled, has expired, or is not ours. */
export async function findSession(
  request: Request,
  id: string,
  call: CallOptions,
): Promise<Session | undefined> {
  try {
    return await readSession(request, id, call)
  } catch (error) {
    if (isStowageError(error, 'not_found')) return undefined
    throw error
  }
}

export async function completeSession(
  request: Request,
  { id, uploadId, received }: Pick<Session, 'id' | 'uploadId' | 'received'>,
  call: CallOptions,
): Promise<Asset> {
  // Where the ETag can't be read, the service asks the storage.
  const parts = [...received]
    .filter(([, { etag }]) => etag)
    .map(([PartNumber, { etag }]) => ({ PartNumber, ETag: etag }))
  return request.data('/assets/:id/uploaded', {
    ...call,
    id,
    method: 'POST',
    body: { upload_id: uploadId, parts },
  })
}

/** Links the asset to products, while it is uploading. Repeating it is no error. */
export async function attachSession(
  request: Request,
  { id }: Pick<Session, 'id'>,
  call: CallOptions & { body: ProductReferences },
): Promise<Asset['products']> {
  const asset = await request.data<Asset>('/assets/:id/attach', { ...call, id, method: 'POST' })
  return asset.products
}

export async function cancelSession(
  request: Request,
  { id, uploadId }: Pick<Session, 'id' | 'uploadId'>,
  call: CallOptions,
): Promise<void> {
  await request.json('/assets/:id/cancel', {
    ...call,
    id,
    method: 'POST',
    body: { upload_id: uploadId },
  })
}

export function countParts(size: number, chunkSize: number): number {
  return Math.max(1, Math.ceil(size / chunkSize))
}

export function rangeOf(part: number, chunkSize: number, size: number): Range {
  const start = (part - 1) * chunkSize
  return { start, end: Math.min(size, start + chunkSize) }
}

/**
 * Refuses a file that is not the one whose parts the storage holds. Returns the parts of which
 * nobody can tell.
 */
export async function checkHeldParts(
  source: Source,
  check: { session: Session; digests: Record<string, string>; signal: AbortSignal | undefined },
): Promise<number[]> {
  const { session, digests, signal } = check
  const untold: number[] = []
  for (const part of session.received.keys()) {
    const before = digests[part]
    if (!before) untold.push(part)
    else {
      const now = await source.digest(rangeOf(part, session.chunkSize, source.size), signal)
      if (now !== before) throw fileChanged(source.name)
    }
  }
  return untold
}

export function fileChanged(name: string): StowageError {
  const message = `${name} changed since its upload began. Uploading it again starts over.`
  return new StowageError('file_changed', message)
}
