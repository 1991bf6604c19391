import type { Asset, ResumedUpload, UploadSession } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import type { Call, Request } from '../request.ts'
import type { Range, Source } from './source.ts'
import type { SavedUpload } from './store.ts'

/** The state of an upload at the service and the storage. Renewing changes it in place. */
export interface Session {
  id: string
  uploadId: string
  chunkSize: number
  /** The size of the file, as declared. */
  bytes: number
  /** The signed URLs of the parts to send, by part number. */
  urls: Map<number, string>
  /** The parts that the storage has. */
  received: Map<number, { etag: string; size: number }>
  /** When to re-sign the URLs, in milliseconds since the epoch. */
  renewAt: number
  /** Whether no part is missing: the upload is being completed, or the asset is ready. */
  isOver: boolean
  /** Whether it uploads a new version of an asset. */
  isReplacement: boolean
}

/** The idempotency key of a new session. Does not use crypto.randomUUID, which is missing in pages without TLS. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(5)).join('-')
}

/** Identifies an upload at the service. The upload ID is required for replacements only. */
export interface UploadReference {
  id: string
  uploadId?: string | undefined
}

export function referenceOf({ id, uploadId, isReplacement }: Session): UploadReference {
  return isReplacement ? { id, uploadId } : { id }
}

/** The options that all calls of an upload share. */
export type CallOptions = Pick<Call, 'signal' | 'retryPolicy' | 'retry' | 'onRetry' | 'timeoutMs'>

const MIN_LIFE_MS = 1_000

/**
 * After an interruption, incomplete parts are sent again, so parts are small. The service makes them
 * larger for files that would need more than 10,000.
 */
const MAX_CHUNK_SIZE = 16_000_000

export function sessionOf(response: UploadSession | ResumedUpload, isReplacement = false): Session {
  const now = Date.now()
  // Older services return the expiry of the URLs as `expires_at` only.
  const expiry = response.urls_expire_at ?? response.expires_at
  const expiresAt = expiry === null ? now : Date.parse(expiry)
  // If the local clock is wrong, this prevents a renewal before every part.
  const lifeMs = Math.max(MIN_LIFE_MS, expiresAt - now)
  const { received = [], status = 'uploading' } = response as Partial<ResumedUpload>
  // A received part whose length does not fit the size of the upload is missing, too.
  const missing = new Set(response.urls.map(({ part }) => part))
  const sizes = [
    ...response.urls.map(({ start, end }) => end - start),
    ...received.filter(({ PartNumber }) => !missing.has(PartNumber)).map(({ size }) => size),
  ]
  return {
    id: response.id,
    uploadId: response.upload_id,
    chunkSize: response.chunk_size,
    bytes: sizes.reduce((sum, size) => sum + size, 0),
    urls: new Map(response.urls.map(({ part, url }) => [part, url])),
    received: new Map(
      received.map(({ PartNumber, ETag, size }) => [PartNumber, { etag: ETag, size }]),
    ),
    renewAt: now + lifeMs * 0.8,
    isOver: status !== 'uploading',
    isReplacement,
  }
}

/** Requests a session. The same idempotency key returns the same session, with URLs for all parts. */
export async function requestSession(
  request: Request,
  {
    name,
    path,
    size,
    minSize,
    mime,
    chunkSize,
    sha256,
    idempotencyKey,
    replaces,
    newName,
  }: SavedUpload,
  call: CallOptions,
): Promise<Session> {
  const isReplacement = replaces !== undefined
  const file = isReplacement ? { name: newName } : { name, path }
  return sessionOf(
    await request.json<UploadSession>(isReplacement ? '/assets/:id/signed' : '/assets/signed', {
      ...call,
      id: replaces,
      method: 'POST',
      headers: { 'Idempotency-Key': idempotencyKey },
      body: {
        ...file,
        size,
        min_size: minSize,
        mime,
        sha256,
        chunk_size: chunkSize,
        max_chunk_size: MAX_CHUNK_SIZE,
      },
    }),
    isReplacement,
  )
}

export async function readSession(
  request: Request,
  { id, uploadId }: UploadReference,
  call: CallOptions,
): Promise<Session> {
  const query = { upload_id: uploadId }
  return sessionOf(
    await request.json<ResumedUpload>('/assets/:id/upload', { ...call, id, query }),
    uploadId !== undefined,
  )
}

/** Returns undefined if the upload was cancelled, has expired, or belongs to another account. */
export async function findSession(
  request: Request,
  reference: UploadReference,
  call: CallOptions,
): Promise<Session | undefined> {
  try {
    return await readSession(request, reference, call)
  } catch (error) {
    if (isStowageError(error, 'not_found')) return undefined
    // The record of a replacement that ended long ago is deleted, although its asset still exists.
    if (reference.uploadId && isStowageError(error, 'invalid')) return undefined
    throw error
  }
}

export async function completeSession(
  request: Request,
  { id, uploadId, received }: Pick<Session, 'id' | 'uploadId' | 'received'>,
  call: CallOptions,
): Promise<Asset> {
  // If CORS hides an ETag, the service reads it from the storage.
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
 * Compares the file with the digests of the parts that the storage has, and throws `file_changed` if one
 * differs. Returns the parts that have no digest.
 */
export async function checkReceivedParts(
  source: Source,
  check: { session: Session; digests: Record<string, string>; signal: AbortSignal | undefined },
): Promise<number[]> {
  const { session, digests, signal } = check
  const unverified: number[] = []
  for (const part of session.received.keys()) {
    const before = digests[part]
    if (!before) unverified.push(part)
    else {
      const now = await source.digest(rangeOf(part, session.chunkSize, source.size), signal)
      if (now !== before) throw fileChanged(source.name)
    }
  }
  return unverified
}

export function fileChanged(name: string): StowageError {
  const message = `${name} has changed since its upload started. Upload it again to start over.`
  return new StowageError('file_changed', message)
}

/**
 * Re-signs the URLs and reads which parts the storage has. Parts that this client has sent in the meantime are
 * kept, unless `isStrict` is set or another client has sent the remaining parts.
 */
export async function renewSession(
  request: Request,
  session: Session,
  { call, isStrict = false }: { call: CallOptions; isStrict?: boolean },
): Promise<void> {
  const fresh = await findSession(request, referenceOf(session), call)
  if (fresh === undefined) throw uploadEnded()
  const kept = isStrict || fresh.isOver ? undefined : session
  session.urls = new Map([...(kept?.urls ?? []), ...fresh.urls])
  session.received = new Map([...fresh.received, ...(kept?.received ?? [])])
  session.renewAt = fresh.renewAt
}

export function uploadEnded(): StowageError {
  return new StowageError('upload_ended', 'The upload was cancelled or has expired.')
}
