import type * as wire from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { Upload } from '../../domain/asset.ts'
import type { ListedUpload } from '../../operations/uploads/list-uploads.ts'
import type { UploadSession } from '../../operations/uploads/request-upload.ts'
import type { ResumedUpload } from '../../operations/uploads/resume-upload.ts'
import type { SignedPart } from '../../operations/uploads/sign-parts.ts'

export function presentUploadSession(session: UploadSession, baseUrl: string): wire.UploadSession {
  const { upload, parts } = session
  const { filename, bytes } = upload.asset
  const [onlyPart, secondPart] = parts
  return {
    ...presentUpload(upload, parts, baseUrl),
    asset: { id: publicId(upload), filename, size: formatSize(bytes) },
    ...(onlyPart && secondPart === undefined && { upload_url: onlyPart.url }),
    expires_at: session.expiresAt.toISOString(),
  }
}

export function presentResumedUpload(resumed: ResumedUpload, baseUrl: string): wire.ResumedUpload {
  const { upload, missing, received, expiresAt } = resumed
  const { status } = upload.asset
  return {
    ...presentUpload(upload, missing, baseUrl),
    received: received.map(({ number, etag, size }) => ({ PartNumber: number, ETag: etag, size })),
    status: status === 'ready' || status === 'completing' ? status : 'uploading',
    expires_at: status === 'ready' ? null : expiresAt.toISOString(),
  }
}

function presentUpload(upload: UploadSession['upload'], parts: SignedPart[], baseUrl: string) {
  const id = publicId(upload)
  return {
    id,
    upload_id: upload.id,
    chunk_size: upload.chunkSize,
    urls: parts.map(({ start, end, number, url }) => ({ start, end, part: number, url })),
    file_url: `${baseUrl}/assets/${id}`,
  }
}

/** A replacement is shown with the ID of its asset. */
function publicId({ asset, replaces }: Pick<Upload, 'asset' | 'replaces'>): string {
  return replaces?.assetId ?? asset.id
}

export function presentCancelled(upload: Upload): wire.CancelledUpload {
  return { data: { id: publicId(upload), upload_id: upload.id, status: 'cancelled' } }
}

export function presentListedUpload({ upload, parts, received }: ListedUpload): wire.ListedUpload {
  const { asset, id, chunkSize, startedBy, expiresAt } = upload
  return {
    id: publicId(upload),
    upload_id: id,
    is_replacement: upload.replaces !== null,
    filename: asset.filename,
    path: asset.path,
    bytes: asset.bytes,
    mime: asset.mime,
    status: asset.status === 'completing' ? 'completing' : 'uploading',
    chunk_size: chunkSize,
    parts,
    received_parts: received?.parts ?? null,
    received_bytes: received?.bytes ?? null,
    started_by: startedBy,
    created_at: formatTimestamp(asset.createdAt),
    expires_at: formatTimestamp(expiresAt),
  }
}
