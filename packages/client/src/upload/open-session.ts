import type { Asset } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import type { LegContext } from './attempts.ts'
import {
  type CallOptions,
  cancelSession,
  checkHeldParts,
  fileChanged,
  findSession,
  requestSession,
  type Session,
} from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { UploadOptions } from './upload.ts'

/** What is sent, and as what. */
export interface Attempt {
  saved: SavedUpload
  session: Session
}

type Wishes = Pick<UploadOptions, 'idempotencyKey' | 'resume'> & { key: string; call: CallOptions }

/** What an earlier attempt left, if it is to be gone on with. */
export async function findSaved(
  { request, store }: LegContext,
  source: Source,
  { key, call, resume, idempotencyKey }: Wishes,
): Promise<SavedUpload | undefined> {
  const before = await store.get(key).catch(() => undefined)
  if (typeof resume === 'string') {
    const { bytes } = await request.data<Asset>('/assets/:id', { ...call, id: resume })
    if (bytes !== source.size) {
      const message = `${source.name} has ${source.size} bytes, but the upload to resume has ${bytes}.`
      throw new StowageError('file_changed', message)
    }
    // Begun here with what looked like another file: then it is told apart from that one.
    const all = await store.list().catch(() => [])
    const foreign = { ...newSaved(source, { key, idempotencyKey: '' }), id: resume }
    return all.find(({ id }) => id === resume) ?? foreign
  }
  if (before === undefined || (idempotencyKey ?? before.idempotencyKey) !== before.idempotencyKey) {
    return undefined
  }
  if (resume !== false) return before
  const session = before.id && (await findSession(request, before.id, call))
  if (session) await dropSession(request, session, call)
  return undefined
}

export function newSaved(
  { name, size, mime, version, chunkSize }: Source,
  { key, idempotencyKey = randomKey() }: Pick<Wishes, 'key' | 'idempotencyKey'>,
): SavedUpload {
  const startedAt = new Date().toISOString()
  return { key, name, size, mime, chunkSize, version, idempotencyKey, digests: {}, startedAt }
}

/** Not by randomUUID, which pages without TLS lack. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(5)).join('-')
}

/**
 * Opens the session of what was saved: the service's answer, compared with the file. Undefined when
 * there is nothing to resume, or when the file changed and `mayDrop` allows to cancel that upload.
 * Rejects with `file_changed` otherwise, before anything is sent.
 */
export async function openAttempt(
  { request }: LegContext,
  source: Source,
  { saved, call, isFirst, mayDrop }: OpenOptions,
): Promise<Attempt | undefined> {
  const { id, digests } = saved
  const likeness = await source.compare(saved.version)
  if (!id && likeness === 'changed') return undefined
  const session = await (id
    ? findSession(request, id, call)
    : requestSession(request, saved, call)
  ).catch((error: unknown) => {
    if (!isStowageError(error, 'upload_ended')) throw error
  })
  if (!session) return undefined
  try {
    if (likeness === 'changed') throw fileChanged(source.name)
    if (likeness === 'unsure' && (isFirst || source.isWatched)) {
      const untold = await checkHeldParts(source, { session, digests, signal: call.signal })
      // What was begun elsewhere is as good as whoever gave us its id says.
      if (untold.length > 0 && saved.idempotencyKey) {
        // The service signs only what is missing; asked as at first, it signs all.
        const { addresses } = await requestSession(request, saved, call)
        for (const part of untold) {
          session.received.delete(part)
          session.addresses.set(part, addresses.get(part) ?? '')
        }
      }
    }
  } catch (error) {
    if (!mayDrop || !isStowageError(error, 'file_changed')) throw error
    await dropSession(request, session, call)
    return undefined
  }
  saved.version = source.version
  saved.id = session.id
  return { saved, session }
}

interface OpenOptions {
  saved: SavedUpload
  call: CallOptions
  isFirst: boolean
  mayDrop: boolean
}

/** Cancels it. One that is ready stays; if this fails, the upload expires in the end. */
export async function dropSession(
  request: LegContext['request'],
  session: Session,
  call: CallOptions,
): Promise<void> {
  await cancelSession(request, session, call).catch(() => {})
}

/**
 * Signs the addresses anew and asks what the storage holds. What was answered to us meanwhile
 * stays, unless the storage's word is to count alone, or another client has sent the rest.
 */
export async function renewSession(
  request: LegContext['request'],
  session: Session,
  { call, isStrict = false }: { call: CallOptions; isStrict?: boolean },
): Promise<void> {
  const fresh = await findSession(request, session.id, call)
  if (fresh === undefined) throw uploadIsGone()
  const kept = isStrict || fresh.isOver ? undefined : session
  session.addresses = new Map([...(kept?.addresses ?? []), ...fresh.addresses])
  session.received = new Map([...fresh.received, ...(kept?.received ?? [])])
  session.renewAt = fresh.renewAt
}

export function uploadIsGone(): StowageError {
  const message = 'The upload was cancelled or has expired.'
  return new StowageError('upload_ended', message)
}
