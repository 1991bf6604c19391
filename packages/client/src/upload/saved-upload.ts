import type { Asset } from '@stowage/protocol'
import { StowageError } from '../errors.ts'
import { dropSession } from './open-session.ts'
import { type CallOptions, findSession } from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { UploadContext, UploadOptions } from './types.ts'

type FindOptions = Pick<UploadOptions, 'idempotencyKey' | 'resume'> & {
  key: string
  call: CallOptions
}

/** Returns the saved state of an unfinished upload of this file, if it is to be resumed. */
export async function findSaved(
  { request, store }: UploadContext,
  source: Source,
  { key, call, resume, idempotencyKey }: FindOptions,
): Promise<SavedUpload | undefined> {
  const before = await store.get(key).catch(() => undefined)
  if (typeof resume === 'string') {
    const { bytes, path } = await request.data<Asset>('/assets/:id', { ...call, id: resume })
    if (bytes !== source.size) {
      const message = `${source.name} has ${source.size} bytes, but the upload to resume has ${bytes}.`
      throw new StowageError('file_changed', message)
    }
    // It may have been started here from another path: then its saved digests are compared, too.
    const all = await store.list().catch(() => [])
    const elsewhere = newSaved(source, { key, idempotencyKey: '', path })
    elsewhere.id = resume
    return all.find(({ id }) => id === resume) ?? elsewhere
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

export function newSaved(
  { name, size, mime, version, chunkSize, path: chosenIn }: Source,
  {
    key,
    idempotencyKey = randomKey(),
    path = chosenIn,
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
    ...(sha256 !== undefined && { sha256 }),
    digests: {},
    startedAt,
  }
  if (replaces !== undefined) return { ...saved, replaces, newName }
  return { ...saved, path: path?.normalize('NFC') || undefined }
}

/** Does not use crypto.randomUUID, which is missing in pages without TLS. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(5)).join('-')
}
