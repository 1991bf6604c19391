import { isStowageError, StowageError } from '../errors.ts'
import type { Request } from '../request.ts'
import {
  type CallOptions,
  cancelSession,
  checkReceivedParts,
  fileChanged,
  findSession,
  randomKey,
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
  /** Identifies the file and what it replaces; empty if the state is not saved. */
  fileKey: string
  call: CallOptions
}

interface FoundState {
  /** The saved state of an unfinished upload of this file, if that upload should be resumed. */
  before?: SavedUpload | undefined
  /** The key for the state of a new upload. */
  key: string
}

/**
 * The state of a file has one key for all API keys of a service, so that another key of the same account can resume its
 * upload. If that state was saved with another API key, whose account may be another one, it is kept, and a new upload is
 * saved with a key of its own.
 */
export async function findSaved(
  { request, store, baseUrl, owner }: UploadContext,
  { fileKey, call, resume, idempotencyKey }: FindOptions,
): Promise<FoundState> {
  const ownKey = `${baseUrl} ${owner} ${fileKey}`
  const sharedKey = `${baseUrl} ${fileKey}`
  const [own, shared] = await Promise.all(
    [ownKey, sharedKey].map((name) => fileKey && store.get(name).catch(() => undefined)),
  )
  const before = own || shared || undefined
  const isOther = before !== undefined && !isOwn(before, owner)
  const key = fileKey && (own || isOther ? ownKey : sharedKey)
  // Without an ID, the request is sent again, which must not happen in another account.
  if (
    before === undefined ||
    typeof resume === 'string' ||
    (isOther && !before.id) ||
    (idempotencyKey ?? before.idempotencyKey) !== before.idempotencyKey
  ) {
    return { key }
  }
  if (resume !== false) return { before, key }
  const { id, uploadId } = before
  const session = id && (await findSession(request, { id, uploadId }, call))
  if (session) await dropSession(request, session, call)
  return { key }
}

/** Whether the state was saved with the same API key. Earlier versions did not save this. */
export function isOwn(saved: SavedUpload, owner: string): boolean {
  return (saved.owner ?? owner) === owner
}

/** Throws `file_changed` if the file does not have the size of the upload. */
export function checkSize({ name, size }: Source, bytes: number): void {
  if (bytes === size) return
  const message = `${name} has ${size} bytes, but its upload has ${bytes}.`
  throw new StowageError('file_changed', message)
}

export function newSaved(
  { name, size, minSize, mime, version, chunkSize, path: sourcePath }: Source,
  {
    key,
    owner,
    idempotencyKey = randomKey(),
    path = sourcePath,
    replaces,
    newName,
    sha256,
  }: Pick<UploadOptions, 'path' | 'idempotencyKey'> &
    Pick<SavedUpload, 'key' | 'owner' | 'replaces' | 'newName' | 'sha256'>,
): SavedUpload {
  const startedAt = new Date().toISOString()
  const saved = {
    key,
    owner,
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
