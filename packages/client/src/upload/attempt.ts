import type { Asset } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import type { LegContext } from './leg.ts'
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
    if (bytes !== source.size) throw fileChanged(source.name)
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
  // What was ready before stays; anything else expires by itself, if this should fail.
  if (session) await cancelSession(request, session, call).catch(() => {})
  return undefined
}

export function newSaved(
  { name, size, mime, version }: Source,
  { key, idempotencyKey = randomKey() }: Pick<Wishes, 'key' | 'idempotencyKey'>,
): SavedUpload {
  const startedAt = new Date().toISOString()
  return { key, name, size, mime, version, idempotencyKey, digests: {}, startedAt }
}

/** Not by randomUUID, which pages without TLS lack. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(5)).join('-')
}

/**
 * Opens the session of what was saved: the service's answer, compared with the file. Undefined when
 * there is nothing to go on with. Rejects with `file_changed` before anything is sent.
 */
export async function openAttempt(
  { request }: LegContext,
  source: Source,
  { saved, call, isFirst }: { saved: SavedUpload; call: CallOptions; isFirst: boolean },
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
  saved.version = source.version
  saved.id = session.id
  return { saved, session }
}

/**
 * Signs the addresses anew and asks what the storage holds. What was answered to us meanwhile
 * stays, unless the storage's word is to count alone.
 */
export async function renewSession(
  request: LegContext['request'],
  session: Session,
  { call, isStrict = false }: { call: CallOptions; isStrict?: boolean },
): Promise<void> {
  const fresh = await findSession(request, session.id, call)
  if (fresh === undefined) throw uploadIsGone()
  session.addresses = new Map([...(isStrict ? [] : session.addresses), ...fresh.addresses])
  session.received = new Map([...fresh.received, ...(isStrict ? [] : session.received)])
  session.renewAt = fresh.renewAt
}

export function uploadIsGone(): StowageError {
  const message = 'The upload was cancelled or has expired.'
  return new StowageError('upload_ended', message)
}
