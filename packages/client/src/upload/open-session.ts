import type { Asset } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import type { Request } from '../request.ts'
import { isReadOnce } from './input.ts'
import {
  type CallOptions,
  cancelSession,
  checkReceivedParts,
  fileChanged,
  findSession,
  randomKey,
  readSession,
  requestSession,
  type Session,
  sessionOf,
} from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { GivenSession, OpenUpload, UploadContext, UploadOptions } from './types.ts'

/**
 * Opens the session of a saved upload and compares the file with it. Returns undefined if there is nothing
 * to resume, or if the file changed and `mayDrop` allows that upload to be cancelled. Otherwise a changed
 * file is refused with `file_changed`, before anything is sent.
 */
export async function openSession(
  request: Request,
  source: Source,
  { saved, call, isFirst, mayDrop }: OpenOptions,
): Promise<OpenUpload | undefined> {
  const { id, uploadId, digests } = saved
  const comparison = await source.compare(saved.version)
  if (!id && comparison === 'changed') return undefined
  const session = await (id
    ? findSession(request, { id, uploadId }, call)
    : requestSession(request, saved, call)
  ).catch((error: unknown) => {
    if (!isStowageError(error, 'upload_ended')) throw error
  })
  if (!session) return undefined
  try {
    if (comparison === 'changed') throw fileChanged(source.name)
    if (comparison === 'unsure' && (isFirst || source.isWatched)) {
      const unverified = await checkReceivedParts(source, { session, digests, signal: call.signal })
      // An upload that was started elsewhere has no digests here. The caller is responsible for passing the same file.
      if (unverified.length > 0 && saved.idempotencyKey) {
        // Resuming signs URLs only for missing parts; repeating the first request signs all of them.
        const { urls } = await requestSession(request, saved, call)
        for (const part of unverified) {
          session.received.delete(part)
          session.urls.set(part, urls.get(part) ?? '')
        }
      }
    }
  } catch (error) {
    if (!mayDrop || !isStowageError(error, 'file_changed')) throw error
    await dropSession(request, session, call)
    return undefined
  }
  // The service has reserved as much of the estimate as fits.
  if (source.minSize !== undefined && !session.isOver) source.size = session.bytes
  saved.version = source.version
  saved.id = session.id
  if (session.isReplacement) saved.uploadId = session.uploadId
  return { saved, session }
}

interface OpenOptions {
  saved: SavedUpload
  call: CallOptions
  /** Whether this upload has no open session yet. */
  isFirst: boolean
  mayDrop: boolean
}

/** Cancels the session, unless the asset is ready. If this fails, the upload expires later. */
export async function dropSession(
  request: Request,
  session: Session,
  call: CallOptions,
): Promise<void> {
  await cancelSession(request, session, call).catch(() => {})
}

type FindOptions = Pick<UploadOptions, 'idempotencyKey' | 'resume'> & {
  replaces?: string | undefined
  key: string
  call: CallOptions
}

/** Returns the saved state of an unfinished upload of this file, if that upload should be resumed. */
export async function findSaved(
  { request, store }: UploadContext,
  source: Source,
  { key, call, resume, idempotencyKey, replaces }: FindOptions,
): Promise<SavedUpload | undefined> {
  const before = await store.get(key).catch(() => undefined)
  if (typeof resume === 'string') {
    // If the upload was started here from another path, its saved state has digests to compare with the file.
    const all = await store.list().catch(() => [])
    if (replaces !== undefined) {
      const session = await findSession(request, { id: replaces, uploadId: resume }, call)
      if (session === undefined) return undefined
      if (!session.isOver) checkSize(source, session.bytes)
      const elsewhere = newSaved(source, { key, idempotencyKey: '', replaces })
      return (
        all.find(({ uploadId }) => uploadId === resume) ??
        Object.assign(elsewhere, { id: replaces, uploadId: resume })
      )
    }
    const { bytes, path } = await readAsset(request, resume, call)
    checkSize(source, bytes)
    const elsewhere = newSaved(source, { key, idempotencyKey: '', path })
    elsewhere.id = resume
    return all.find(({ id, uploadId }) => id === resume && !uploadId) ?? elsewhere
  }
  if (before === undefined || (idempotencyKey ?? before.idempotencyKey) !== before.idempotencyKey) {
    return undefined
  }
  if (resume !== false) return before
  const { id, uploadId } = before
  const session = id && (await findSession(request, { id, uploadId }, call))
  if (session) await dropSession(request, session, call)
  return undefined
}

/** An upload token may not read assets, but it may read its own uploads. */
async function readAsset(
  request: Request,
  id: string,
  call: CallOptions,
): Promise<Pick<Asset, 'bytes'> & { path?: string | null }> {
  try {
    return await request.data<Asset>('/assets/:id', { ...call, id })
  } catch (error) {
    if (!isStowageError(error, 'forbidden')) throw error
    return readSession(request, { id }, call)
  }
}

/** Throws `file_changed` if the file does not have the size of the upload. */
function checkSize({ name, size }: Source, bytes: number): void {
  if (bytes === size) return
  const message = `${name} has ${size} bytes, but its upload has ${bytes}.`
  throw new StowageError('file_changed', message)
}

export function newSaved(
  { name, size, minSize, mime, version, chunkSize, path: sourcePath }: Source,
  {
    key,
    idempotencyKey = randomKey(),
    path = sourcePath,
    replaces,
    newName,
    sha256,
  }: Pick<FindOptions, 'key' | 'idempotencyKey'> &
    Pick<UploadOptions, 'path'> &
    Pick<SavedUpload, 'replaces' | 'newName' | 'sha256'>,
): SavedUpload {
  const startedAt = new Date().toISOString()
  const saved = {
    key,
    name,
    size,
    mime,
    chunkSize,
    version,
    idempotencyKey,
    ...(minSize !== undefined && { minSize }),
    ...(sha256 !== undefined && { sha256 }),
    digests: {},
    startedAt,
  }
  if (replaces !== undefined) return { ...saved, replaces, newName }
  return { ...saved, path: path?.normalize('NFC') || undefined }
}

/** The options that belong to the request that created the session. */
const REQUEST_OPTIONS = [
  'name',
  'path',
  'mime',
  'size',
  'sha256',
  'attach',
  'idempotencyKey',
  'resume',
]

/** Throws a TypeError for options that cannot be combined with a session. */
export function checkSessionOptions(file: unknown, options: UploadOptions): void {
  const { session, backend } = options
  if (session === undefined) {
    if (backend !== undefined) throw new TypeError('“backend” requires a “session”.')
    return
  }
  if (!Array.isArray(session?.urls) || typeof session.upload_id !== 'string') {
    throw new TypeError('Invalid “session”. Pass the response of POST /assets/signed.')
  }
  const given = REQUEST_OPTIONS.find((name) => options[name as keyof UploadOptions] !== undefined)
  // A stream is split into parts of another size than those of the session.
  const other = isReadOnce(file) ? 'a stream' : given && `“${given}”`
  if (other) throw new TypeError(`“session” cannot be combined with ${other}.`)
}

/** The state of a session that was requested elsewhere. It is not saved here: the program that requested the session has it. */
export function savedOfSession(source: Source, session: GivenSession): SavedUpload {
  const saved = newSaved(source, { key: '', idempotencyKey: '' })
  return { ...saved, id: session.id, uploadId: session.upload_id }
}

/** Continues the session without a request. Rejects a file of another size with `file_changed`. */
export function openGivenSession(
  source: Source,
  saved: SavedUpload,
  given: GivenSession,
): OpenUpload {
  // `true` makes renewals include the upload ID, which identifies the upload of a new asset and of a new version.
  const session = sessionOf(given, true)
  const isKnown = session.urls.size + session.received.size > 0
  if (isKnown) checkSize(source, session.bytes)
  return { saved, session }
}
