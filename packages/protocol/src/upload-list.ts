import { PageLinks, PageMeta, PageQuery, TextQuery } from './paging.ts'
import { Nullable, Uuid } from './schema.ts'
import { type Static, Type } from './type.ts'

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
    expires_at: Type.String({
      format: 'date-time',
      description:
        'When the upload is removed, unless it is resumed or receives a part before then',
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
