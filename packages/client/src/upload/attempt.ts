import type { Asset } from '@stowage/protocol'
import { isStowageError } from '../errors.ts'
import type { LegContext } from './leg.ts'
import {
  type CallOptions,
  cancelSession,
  checkHeldParts,
  fileChanged,
  findSession,
  readSession,
  requestSession,
  type Session,
} from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { UploadOptions } from './upload.ts'

/** What is sent, as what: kept from one leg to the next, and beyond. */
export interface Attempt {
  saved: SavedUpload
  session: Session
  /** Parts that the storage holds, but nobody knows whether they are still the file's. */
  resend: Set<number>
}

type Wishes = Pick<UploadOptions, 'idempotencyKey' | 'resume'>

/** What was saved of the file before, if it is to be gone on with; else what will be. */
export async function findSaved(
  { request, store }: LegContext,
  source: Source,
  options: Wishes & { key: string | undefined; call: CallOptions },
): Promise<{ saved: SavedUpload; isNew: boolean }> {
  const { key, call, resume, idempotencyKey } = options
  const before = key === undefined ? undefined : await store.get(key).catch(() => undefined)
  const fresh = newSaved(source, { key: key ?? '', idempotencyKey })
  if (typeof resume === 'string') {
    const saved = before?.id === resume ? before : { ...fresh, id: resume }
    await checkSize(request, source, { id: resume, call })
    return { saved, isNew: false }
  }
  if (before === undefined) return { saved: fresh, isNew: true }
  const isOther = idempotencyKey !== undefined && idempotencyKey !== before.idempotencyKey
  if (resume !== false && !isOther) return { saved: before, isNew: false }
  if (resume === false && before.id !== undefined) await giveUp({ request }, before.id, call)
  return { saved: fresh, isNew: true }
}

export function newSaved(
  { name, size, mime, version }: Source,
  { key, idempotencyKey }: { key: string; idempotencyKey?: string | undefined },
): SavedUpload {
  const startedAt = new Date().toISOString()
  const made = idempotencyKey ?? randomKey()
  return { key, name, size, mime, version, idempotencyKey: made, digests: {}, startedAt }
}

/** Not by randomUUID, which pages without TLS lack. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(5)), (word) => word.toString(36)).join(
    '-',
  )
}

/**
 * Opens the session of what was saved: the service's answer, compared with the file. Undefined when
 * the service has forgotten it. Rejects with `file_changed` before anything is sent.
 */
export async function openAttempt(
  { request }: LegContext,
  source: Source,
  { saved, call }: { saved: SavedUpload; call: CallOptions & { signal: AbortSignal } },
): Promise<Attempt | undefined> {
  const likeness = await source.compare(saved.version)
  if (saved.id === undefined) {
    if (likeness === 'changed') return undefined
    return { saved, session: await requestSession(request, saved, call), resend: new Set() }
  }
  const session = await findSession(request, saved.id, call)
  if (session === undefined) return undefined
  if (likeness === 'changed') throw fileChanged(source.name)
  const isKnown = Object.keys(saved.digests).length > 0
  const untold =
    likeness === 'unsure' && isKnown
      ? await checkHeldParts(source, session, saved.digests, call.signal)
      : []
  saved.version = source.version
  const attempt = { saved, session, resend: new Set(untold) }
  await addressResent(attempt, request, call)
  return attempt
}

/** The service signs only what is missing; asked as at first, it signs all. */
async function addressResent(
  { saved, session, resend }: Attempt,
  request: LegContext['request'],
  call: CallOptions,
): Promise<void> {
  if (resend.size === 0) return
  const { addresses } = await requestSession(request, saved, call)
  for (const part of resend) {
    session.addresses.set(part, addresses.get(part) ?? '')
    session.received.delete(part)
  }
}

/**
 * Signs the addresses anew and asks what the storage holds. What was answered to us meanwhile
 * stays, unless the storage's word is to count alone.
 */
export async function renewAttempt(
  attempt: Attempt,
  request: LegContext['request'],
  { call, isStrict }: { call: CallOptions; isStrict: boolean },
): Promise<void> {
  const { session } = attempt
  const fresh = await readSession(request, session.id, call)
  session.addresses = fresh.addresses
  session.renewAt = fresh.renewAt
  session.received = isStrict ? fresh.received : new Map([...fresh.received, ...session.received])
  await addressResent(attempt, request, call)
}

async function checkSize(
  request: LegContext['request'],
  source: Source,
  { id, call }: { id: string; call: CallOptions },
): Promise<void> {
  const { data } = await request.json<{ data: Asset }>(`/assets/${id}`, call)
  if (data.bytes !== source.size) throw fileChanged(source.name)
}

/** As far as it goes: what is left expires by itself. */
async function giveUp(
  { request }: Pick<LegContext, 'request'>,
  id: string,
  call: CallOptions,
): Promise<void> {
  try {
    await cancelSession(request, await readSession(request, id, call), call)
  } catch (error) {
    if (!isStowageError(error)) throw error
  }
}
