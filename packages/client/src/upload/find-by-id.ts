import type { Asset } from '@stowage/protocol'
import { isStowageError } from '../errors.ts'
import type { Request } from '../request.ts'
import { checkSize, newSaved } from './open-session.ts'
import { type CallOptions, findSession, readSession } from './session.ts'
import type { Source } from './source.ts'
import type { SavedUpload } from './store.ts'
import type { UploadContext } from './types.ts'

interface FindByIdOptions {
  /** The ID of the asset, or the upload ID of a replacement. */
  resume: string
  replaces: string | undefined
  key: string
  call: CallOptions
}

/**
 * Returns the state of an upload that may have been started elsewhere. Returns undefined if a replacement has ended, and
 * rejects with `file_changed` if the file has another size.
 */
export async function findById(
  { request, store, owner }: UploadContext,
  source: Source,
  { resume, replaces, key, call }: FindByIdOptions,
): Promise<SavedUpload | undefined> {
  // If the upload was started here from another path, its saved state has digests to compare with the file.
  const all = await store.list().catch(() => [])
  if (replaces !== undefined) {
    const session = await findSession(request, { id: replaces, uploadId: resume }, call)
    if (session === undefined) return undefined
    if (!session.isOver) checkSize(source, session.bytes)
    const elsewhere = newSaved(source, { key, owner, idempotencyKey: '', replaces })
    return (
      all.find(({ uploadId }) => uploadId === resume) ??
      Object.assign(elsewhere, { id: replaces, uploadId: resume })
    )
  }
  const { bytes, path } = await readAsset(request, resume, call)
  checkSize(source, bytes)
  const elsewhere = newSaved(source, { key, owner, idempotencyKey: '', path })
  elsewhere.id = resume
  return all.find(({ id, uploadId }) => id === resume && !uploadId) ?? elsewhere
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
