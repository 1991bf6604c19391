import type * as wire from '@stowage/protocol'
import { endpoints, type ReplacementRequest, type UploadRequest } from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { Upload } from '../../domain/asset.ts'
import { invalid } from '../../domain/errors.ts'
import { completeUpload } from '../../operations/uploads/complete.ts'
import type { SignedPart } from '../../operations/uploads/in-storage.ts'
import {
  type FileDetails,
  requestUpload,
  type UploadSession,
} from '../../operations/uploads/request.ts'
import { resizeUpload } from '../../operations/uploads/resize.ts'
import { type ResumedUpload, resumeUpload } from '../../operations/uploads/resume.ts'
import {
  cancelUpload,
  createUploadList,
  type ListedUpload,
} from '../../operations/uploads/uploads.ts'
import { presentAsset } from '../../wire/resources.ts'
import { readPageRequest } from '../requests.ts'
import { sendInChunks } from '../responses/json.ts'
import { presentPage } from '../responses/page.ts'
import { nameCreated, type RouteGroup, route } from '../route.ts'

export const uploadRoutes: RouteGroup = (app, options) => {
  const { baseUrl } = options
  const listUploads = createUploadList()

  route(app, options, endpoints.requestUpload, async (request, reply) => {
    const { context, body, headers, actor } = request
    const idempotencyKey = headers['idempotency-key']
    const file = readFileDetails(body)
    const session = await requestUpload(context, { file, idempotencyKey, startedBy: actor })
    nameCreated(reply, options, { path: `/assets/${session.upload.asset.id}` })
    return sendInChunks(reply, presentUploadSession(session, baseUrl()))
  })

  route(app, options, endpoints.requestReplacement, async (request, reply) => {
    const { context, params, body, headers, actor } = request
    const session = await requestUpload(context, {
      file: readReplacementDetails(body),
      idempotencyKey: headers['idempotency-key'],
      startedBy: actor,
      replaces: params.id,
    })
    const path = `/assets/${params.id}/upload?upload_id=${session.upload.id}`
    nameCreated(reply, options, { path })
    return sendInChunks(reply, presentUploadSession(session, baseUrl()))
  })

  route(app, options, endpoints.completeUpload, async ({ context, params, body }) => {
    const parts = body.parts?.map(({ PartNumber, ETag }) => ({ number: PartNumber, etag: ETag }))
    const request = { uploadId: body.upload_id, parts: parts ?? [] }
    return { data: presentAsset(await completeUpload(context, params.id, request)) }
  })

  route(app, options, endpoints.cancelUpload, async ({ context, params, body }) => {
    const request = { uploadId: body.upload_id }
    return presentCancelled(await cancelUpload(context, params.id, request))
  })

  route(app, options, endpoints.listUploads, async ({ context, query, url }) => {
    const request = { ...readPageRequest(query, 'created_at'), filename: query.filename }
    const { uploads, position } = await listUploads(context, request)
    const page = presentPage(position, {
      base: baseUrl(),
      url,
      query: endpoints.listUploads.query,
    })
    return { data: uploads.map(presentListedUpload), ...page }
  })

  route(app, options, endpoints.resumeUpload, async ({ context, params, query }, reply) => {
    const resumed = await resumeUpload(context, params.id, query.upload_id)
    return sendInChunks(reply, presentResumedUpload(resumed, baseUrl()))
  })

  route(app, options, endpoints.resizeUpload, async ({ context, params, query, body }, reply) => {
    const request = { size: body.size, minSize: body.min_size, uploadId: query.upload_id }
    const resumed = await resizeUpload(context, params.id, request)
    return sendInChunks(reply, presentResumedUpload(resumed, baseUrl()))
  })
}

/** Accepts `name` or `filename`, and `mime` or `mime_type`. The schema requires a name. */
function readFileDetails(body: UploadRequest): FileDetails {
  return { ...readReplacementDetails(body), path: body.path, tags: body.tags }
}

/** A replacement may keep the name of its asset. */
function readReplacementDetails(body: ReplacementRequest): FileDetails {
  const { name, filename, size, mime, mime_type: mimeType } = body
  const { chunk_size: chunkSize, max_chunk_size: maxChunkSize, min_size: minSize, sha256 } = body
  const given = name ?? filename
  if (filename !== undefined && filename !== given) {
    throw invalid({ filename: ['must not differ from name: send one of them'] })
  }
  const details = { size, minSize, mime: mime || mimeType, chunkSize, maxChunkSize, sha256 }
  return { filename: given, ...details }
}

function presentUploadSession(session: UploadSession, baseUrl: string): wire.UploadSession {
  const { upload, parts } = session
  const { filename, bytes } = upload.asset
  const [onlyPart, secondPart] = parts
  return {
    ...presentUpload(upload, parts, baseUrl),
    asset: { id: publicId(upload), filename, size: formatSize(bytes) },
    ...(onlyPart && secondPart === undefined && { upload_url: onlyPart.url }),
    ...presentExpiry(session),
    expires_at: (session.urlsExpireAt ?? upload.expiresAt).toISOString(),
  }
}

function presentResumedUpload(resumed: ResumedUpload, baseUrl: string): wire.ResumedUpload {
  const { upload, missing, received } = resumed
  const { status } = upload
  const expiry = presentExpiry(resumed)
  return {
    ...presentUpload(upload, missing, baseUrl),
    received: received.map(({ number, etag, size }) => ({ PartNumber: number, ETag: etag, size })),
    status: status === 'ready' || status === 'completing' ? status : 'uploading',
    ...expiry,
    expires_at: expiry.urls_expire_at ?? expiry.upload_expires_at,
  }
}

/** The upload expires later than its URLs, and not at all once it is completed. */
function presentExpiry({ upload, urlsExpireAt }: Pick<ResumedUpload, 'upload' | 'urlsExpireAt'>) {
  return {
    urls_expire_at: urlsExpireAt?.toISOString() ?? null,
    upload_expires_at: upload.status === 'ready' ? null : upload.expiresAt.toISOString(),
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

function presentCancelled(upload: Upload): wire.CancelledUpload {
  return { data: { id: publicId(upload), upload_id: upload.id, status: 'cancelled' } }
}

function presentListedUpload({ upload, parts, received }: ListedUpload): wire.ListedUpload {
  const { asset, id, chunkSize, startedBy, expiresAt } = upload
  return {
    id: publicId(upload),
    upload_id: id,
    is_replacement: upload.replaces !== null,
    filename: asset.filename,
    path: asset.path,
    bytes: asset.bytes,
    mime: asset.mime,
    status: upload.status === 'completing' ? 'completing' : 'uploading',
    chunk_size: chunkSize,
    parts,
    received_parts: received?.parts ?? null,
    received_bytes: received?.bytes ?? null,
    started_by: startedBy,
    created_at: formatTimestamp(asset.createdAt),
    upload_expires_at: formatTimestamp(expiresAt),
    expires_at: formatTimestamp(expiresAt),
  }
}
