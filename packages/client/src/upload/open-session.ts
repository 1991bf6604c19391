import { isStowageError } from '../errors.ts'
import type { Request } from '../request.ts'
import {
  type CallOptions,
  cancelSession,
  checkReceivedParts,
  fileChanged,
  findSession,
  requestSession,
  type Session,
} from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { OpenUpload } from './types.ts'

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
