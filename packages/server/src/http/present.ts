import type * as wire from '@stowage/protocol'
import type { Asset, Upload } from '../domain/asset.ts'
import type { PagePosition } from '../domain/paging.ts'
import { sizeText } from '../domain/size-text.ts'
import type { UploadSession } from '../operations/request-upload.ts'
import type { ResumedUpload } from '../operations/resume-upload.ts'
import type { SignedPart } from '../operations/signed-parts.ts'

export function presentAsset(asset: Asset, options: { withProducts: boolean }): wire.Asset {
  return {
    id: asset.id,
    filename: asset.filename,
    size: sizeText(asset.bytes),
    is_file: asset.kind === 'file',
    is_link: asset.kind === 'link',
    url: asset.url,
    status: asset.status === 'ready' ? 'ready' : 'uploading',
    bytes: asset.bytes,
    mime: asset.mime,
    created_at: asset.createdAt.toISOString(),
    ...(options.withProducts && { products: [] }),
  }
}

export function presentUploadSession(session: UploadSession, baseUrl: string): wire.UploadSession {
  return {
    ...presentUpload(session.upload, session.parts, baseUrl),
    expires_at: session.upload.expiresAt.toISOString(),
  }
}

export function presentResumedUpload(resumed: ResumedUpload, baseUrl: string): wire.ResumedUpload {
  const { upload, missing, received } = resumed
  const { status } = upload.asset
  return {
    ...presentUpload(upload, missing, baseUrl),
    received: received.map(({ number, etag, size }) => ({ PartNumber: number, ETag: etag, size })),
    status: status === 'ready' || status === 'completing' ? status : 'uploading',
    expires_at: status === 'ready' ? null : upload.expiresAt.toISOString(),
  }
}

function presentUpload(upload: Upload, parts: SignedPart[], baseUrl: string) {
  return {
    id: upload.asset.id,
    upload_id: upload.id,
    chunk_size: upload.chunkSize,
    urls: parts.map(({ start, end, number, url }) => ({ start, end, part: number, url })),
    file_url: `${baseUrl}/assets/${upload.asset.id}`,
  }
}

export function presentCancelled(upload: Upload): wire.CancelledUpload {
  return { data: { id: upload.asset.id, upload_id: upload.id, status: 'cancelled' } }
}

/** `query` is the caller's own: every link keeps its other parameters. */
export function presentPage(
  position: PagePosition,
  address: { path: string; query: URLSearchParams },
): { links: wire.PageLinks; meta: wire.PageMeta } {
  const { path } = address
  const urlOf = (page: number) => {
    const query = new URLSearchParams(address.query)
    query.set('page', String(page))
    return `${path}?${query}`
  }
  const orNull = (page: number | undefined) => (page === undefined ? null : urlOf(page))
  return {
    links: {
      first: urlOf(1),
      last: urlOf(position.lastPage),
      prev: orNull(position.previous),
      next: orNull(position.next),
    },
    meta: {
      current_page: position.page,
      from: position.from,
      to: position.to,
      last_page: position.lastPage,
      per_page: position.perPage,
      total: position.total,
      path,
      links: [
        { url: orNull(position.previous), label: '« Previous', active: false },
        ...position.window.map((page) => ({
          url: urlOf(page),
          label: String(page),
          active: page === position.page,
        })),
        { url: orNull(position.next), label: 'Next »', active: false },
      ],
    },
  }
}
