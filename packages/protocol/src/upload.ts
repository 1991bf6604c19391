import { AssetFolder, SHA256_EXAMPLE } from './asset.ts'
import { PageLinks, PageMeta, PageQuery, TextQuery } from './paging.ts'
import {
  Aliases,
  Check,
  FILENAME_PROBLEM,
  IdempotencyHeaders,
  MAX_INTEGER,
  Nullable,
  Problem,
  type Static,
  Strict,
  Type,
  Uuid,
} from './schema.ts'
import { Tags } from './tag.ts'

const fileName = {
  minLength: 1,
  maxLength: 255,
  ...Check('filename'),
  ...Problem(FILENAME_PROBLEM),
}
const mediaType = {
  maxLength: 255,
  ...Check('media-type'),
  ...Problem('must be a media type such as application/zip'),
}

const fileSize = Type.Integer({
  minimum: 0,
  maximum: MAX_INTEGER,
  examples: [250_000_000],
  ...Problem(`must be the file’s size in bytes: a whole number from 0 to ${MAX_INTEGER}`),
})

const minSize = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: MAX_INTEGER,
    description:
      'For streams of unknown length: the bytes that are certain, for example those read so far. `size` is then an estimate. The service reserves as much of it as fits without removing trash, in whole parts, and at least `min_size`. The parts in the response show the reserved size',
    examples: [16_000_000],
    ...Problem(`must be a whole number of bytes from 0 to ${MAX_INTEGER}`),
  }),
)

/** All S3-compatible storage accepts parts from 5 MiB to 5 GiB; only the last may be smaller. */
const MIN_CHUNK_SIZE = 5 * 1024 ** 2
const MAX_CHUNK_SIZE = 5 * 1024 ** 3
const chunkSizeProblem = Problem(
  `must be a whole number of bytes from ${MIN_CHUNK_SIZE} to ${MAX_CHUNK_SIZE}`,
)

/** `filename` and `mime_type` are accepted too, because existing clients send both spellings. */
const uploadRequest = {
  name: Type.Optional(Type.String({ ...fileName, examples: ['sample-pack.zip'] })),
  filename: Type.Optional(Type.String({ ...fileName, description: 'Alias of `name`' })),
  size: fileSize,
  min_size: minSize,
  mime: Type.Optional(
    Type.String({
      ...mediaType,
      description: 'Media type; application/octet-stream if empty or omitted',
      examples: ['application/zip'],
    }),
  ),
  mime_type: Type.Optional(Type.String({ ...mediaType, description: 'Alias of `mime`' })),
  chunk_size: Type.Optional(
    Type.Integer({
      minimum: MIN_CHUNK_SIZE,
      maximum: MAX_CHUNK_SIZE,
      description:
        'The requested part size in bytes, for clients that split the file themselves. The service chooses larger parts if the file would otherwise have too many parts: use the `chunk_size` of the response',
      ...chunkSizeProblem,
    }),
  ),
  sha256: Type.Optional(
    Type.String({
      pattern: '^[0-9a-fA-F]{64}$',
      description:
        'The SHA-256 of the file, in hexadecimal. If the service computes checksums (`STOWAGE_CHECKSUMS`), it compares the stored bytes with this digest before the file can be downloaded. Until then, downloads of a replaced file return the previous version. If the bytes do not match, the file becomes `damaged`',
      examples: [SHA256_EXAMPLE],
      ...Problem('must be a SHA-256 in hexadecimal: 64 digits'),
    }),
  ),
  max_chunk_size: Type.Optional(
    Type.Integer({
      minimum: MIN_CHUNK_SIZE,
      maximum: MAX_CHUNK_SIZE,
      description:
        'The maximum part size in bytes. With smaller parts, less has to be sent again after an interruption. The service uses this size or its default, whichever is smaller, and larger parts only if the file would otherwise have too many parts. Ignored with `chunk_size`',
      examples: [16_000_000],
      ...chunkSizeProblem,
    }),
  ),
}

export const UploadRequest = Type.Object(
  { ...uploadRequest, path: Type.Optional(AssetFolder), tags: Type.Optional(Tags) },
  { title: 'UploadRequest', ...Aliases('name', 'filename') },
)
export type UploadRequest = Static<typeof UploadRequest>

export const ReplacementRequest = Type.Object(
  {
    ...uploadRequest,
    name: Type.Optional(
      Type.String({
        ...fileName,
        description: 'The new name of the asset; if omitted, the name does not change',
        examples: ['sample-pack.zip'],
      }),
    ),
    mime: Type.Optional(
      Type.String({
        ...mediaType,
        description: 'Media type; that of the current version if empty or omitted',
        examples: ['application/zip'],
      }),
    ),
  },
  { title: 'ReplacementRequest', ...Strict },
)
export type ReplacementRequest = Static<typeof ReplacementRequest>

export const UploadRequestHeaders = IdempotencyHeaders(
  'The same key with the same body returns the same session',
)

export const PartUrl = Type.Object(
  {
    start: Type.Integer({ description: 'Offset of the part’s first byte' }),
    end: Type.Integer({
      description: 'Offset after the part’s last byte, as in file.slice(start, end)',
    }),
    part: Type.Integer({ minimum: 1 }),
    url: Type.String({ description: 'Signed URL for a PUT of exactly these bytes' }),
  },
  { title: 'PartUrl' },
)
export type PartUrl = Static<typeof PartUrl>

const session = {
  id: Uuid({ description: 'The asset’s ID' }),
  upload_id: Uuid(),
  chunk_size: Type.Integer({ examples: [100_000_000] }),
  urls: Type.Array(PartUrl),
  file_url: Type.String({ description: 'URL of the asset’s page in the dashboard' }),
}

const expiry = {
  urls_expire_at: Nullable('string', {
    description:
      'When the URLs expire; null if there are none. The upload is kept for longer: GET /assets/:id/upload returns new URLs',
  }),
  upload_expires_at: Nullable('string', {
    description:
      'When the upload is removed, unless it is resumed or receives a part before then; null once it is completed',
  }),
}

export const UploadSession = Type.Object(
  {
    ...session,
    asset: Type.Object(
      {
        id: Uuid(),
        filename: Type.String({ examples: ['sample-pack.zip'] }),
        size: Type.String({
          description: 'Formatted for display, in decimal units',
          examples: ['250 MB'],
        }),
      },
      { description: 'The asset with the name and size that it has once the upload is completed' },
    ),
    upload_url: Type.Optional(
      Type.String({ description: 'The URL of the only part; omitted if there are several parts' }),
    ),
    ...expiry,
    expires_at: Type.String({
      format: 'date-time',
      deprecated: true,
      description:
        'Deprecated alias of `urls_expire_at`; if there are no URLs, the same as `upload_expires_at`',
    }),
  },
  { title: 'UploadSession' },
)
export type UploadSession = Static<typeof UploadSession>

export const ReceivedPart = Type.Object(
  { PartNumber: Type.Integer(), ETag: Type.String(), size: Type.Integer() },
  { title: 'ReceivedPart' },
)
export type ReceivedPart = Static<typeof ReceivedPart>

export const ResumedUpload = Type.Object(
  {
    ...session,
    urls: Type.Array(PartUrl, { description: 'The missing parts' }),
    received: Type.Array(ReceivedPart, { description: 'The parts in the storage' }),
    status: Type.Enum(['uploading', 'completing', 'ready'], { type: 'string' }),
    ...expiry,
    expires_at: Nullable('string', {
      deprecated: true,
      description:
        'Deprecated alias of `urls_expire_at`; if there are no URLs, the same as `upload_expires_at`',
    }),
  },
  { title: 'ResumedUpload' },
)
export type ResumedUpload = Static<typeof ResumedUpload>

/** The maximum number of parts of an upload. */
export const MAX_PARTS = 10_000

export const CompletedPart = Type.Object(
  {
    ETag: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'The ETag header of the response to the part’s PUT, with or without quotes',
      ...Problem('must be the ETag from the response to the part’s PUT'),
    }),
    PartNumber: Type.Integer({
      minimum: 1,
      maximum: MAX_PARTS,
      ...Problem(`must be a whole number from 1 to ${MAX_PARTS}`),
    }),
  },
  { title: 'CompletedPart', ...Problem('must be an object with ETag and PartNumber') },
)
export type CompletedPart = Static<typeof CompletedPart>

export const CompletionRequest = Type.Object(
  {
    upload_id: Type.Optional(
      Uuid({
        description:
          'From the upload session. Required to complete a replacement: if omitted, the call applies to the upload that created the asset',
      }),
    ),
    parts: Type.Optional(
      Type.Array(CompletedPart, {
        maxItems: MAX_PARTS,
        description: 'In any order; the service looks up omitted parts in the storage',
        ...Problem(`must be an array of at most ${MAX_PARTS} parts`),
      }),
    ),
  },
  { title: 'CompletionRequest' },
)
export type CompletionRequest = Static<typeof CompletionRequest>

/** Selects the upload of a new version, or the upload that created the asset. */
export const UploadSelection = Type.Object({
  upload_id: Type.Optional(
    Uuid({
      description:
        'The `upload_id` of a replacement. If omitted, the call applies to the upload that created the asset',
    }),
  ),
})

export const ResizeRequest = Type.Object(
  { size: fileSize, min_size: minSize },
  { title: 'ResizeRequest', ...Strict },
)
export type ResizeRequest = Static<typeof ResizeRequest>

export const CancelRequest = Type.Object(
  { upload_id: Uuid({ description: 'From the upload session' }) },
  { title: 'CancelRequest' },
)
export type CancelRequest = Static<typeof CancelRequest>

export const CancelledUpload = Type.Object(
  {
    data: Type.Object({
      id: Uuid(),
      upload_id: Uuid(),
      status: Type.Enum(['cancelled'], { type: 'string' }),
    }),
  },
  { title: 'CancelledUpload' },
)
export type CancelledUpload = Static<typeof CancelledUpload>

export const ListUploadsQuery = Type.Object({
  ...PageQuery,
  filename: Type.Optional(
    TextQuery('Any part of the name, case-insensitive; `%` and `_` are not wildcards'),
  ),
})
export type ListUploadsQuery = Static<typeof ListUploadsQuery>

const StartedBy = {
  type: ['object', 'null'],
  required: ['id', 'name'],
  properties: {
    id: Nullable('string', {
      description:
        'The ID of the key or the upload token; null for the key from the settings of the service',
    }),
    name: Type.String({ examples: ['shop backend'] }),
  },
  description:
    'The key or upload token that started the upload, even if it has since been revoked or has expired; null if the service requires no key',
}

export const ListedUpload = Type.Object(
  {
    id: Uuid({ description: 'The asset’s ID' }),
    upload_id: Uuid(),
    is_replacement: Type.Boolean({
      description: 'Whether it uploads a new version of a ready asset',
    }),
    filename: Type.String({ examples: ['sample-pack.zip'] }),
    path: Nullable('string', { description: 'The folder that the file came from' }),
    bytes: Type.Integer({ description: 'The size of the whole file', examples: [250_000_000] }),
    mime: Type.String({ examples: ['application/zip'] }),
    status: Type.Enum(['uploading', 'completing'], { type: 'string' }),
    chunk_size: Type.Integer({ examples: [100_000_000] }),
    parts: Type.Integer({ description: 'The number of parts of the whole file' }),
    received_parts: Nullable('integer', {
      description:
        'The number of parts in the storage; null if the storage does not respond in time',
    }),
    received_bytes: Nullable('integer', {
      description: 'The bytes in the storage; null if the storage does not respond in time',
    }),
    started_by: Type.Unsafe<{ id: string | null; name: string } | null>(StartedBy),
    created_at: Type.String({ format: 'date-time' }),
    upload_expires_at: Type.String({
      format: 'date-time',
      description:
        'When the upload is removed, unless it is resumed or receives a part before then',
    }),
    expires_at: Type.String({
      format: 'date-time',
      deprecated: true,
      description: 'Deprecated alias of `upload_expires_at`',
    }),
  },
  { title: 'ListedUpload' },
)
export type ListedUpload = Static<typeof ListedUpload>

export const UploadPage = Type.Object(
  { data: Type.Array(ListedUpload), links: PageLinks, meta: PageMeta },
  { title: 'UploadPage' },
)
export type UploadPage = Static<typeof UploadPage>
