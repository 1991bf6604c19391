import type { Asset } from '@stowage/protocol'
import { isStowageError, StowageError } from '../errors.ts'
import type { Request } from '../request.ts'
import { dropSession } from './open-session.ts'
import { type CallOptions, findSession, readSession } from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { UploadContext, UploadOptions } from './types.ts'

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
export function checkSize({ name, size }: Source, bytes: number): void {
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

/** Does not use crypto.randomUUID, which is missing in pages without TLS. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(5)).join('-')
}
