import { ListAssetsQuery } from './asset.ts'
import { MAX_BULK_ASSETS } from './bulk.ts'
import {
  Check,
  FILENAME_PROBLEM,
  grouped,
  Problem,
  type Static,
  Strict,
  Type,
  Uuid,
} from './schema.ts'

/** How many files an archive can have. */
export const MAX_ARCHIVE_FILES = 100_000

const { search, filename, type, path, sku, product_id } = ListAssetsQuery.properties

export const ArchiveRequest = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Uuid(), {
        minItems: 1,
        maxItems: MAX_BULK_ASSETS,
        description: 'The IDs of the assets. Either `ids` or `filter` is required',
        ...Problem(`must be an array of 1 to ${MAX_BULK_ASSETS} asset IDs`),
      }),
    ),
    filter: Type.Optional(
      Type.Object(
        {
          search,
          filename,
          type,
          attached: Type.Optional(
            Type.Boolean({
              description:
                'true: only assets that are attached to a product; false: only assets that are not',
              ...Problem('must be true or false'),
            }),
          ),
          path,
          sku,
          product_id,
        },
        {
          description: `All assets that match the filters, as in \`GET /assets\`, at most ${grouped(MAX_ARCHIVE_FILES)}. \`{}\`: all assets`,
          examples: [{ path: 'course' }],
          ...Strict,
        },
      ),
    ),
    filename: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description:
          'The name of the archive. Default: the name of the folder in `filter.path`, or `files.zip`',
        examples: ['course.zip'],
        ...Check('filename'),
        ...Problem(FILENAME_PROBLEM),
      }),
    ),
  },
  { title: 'ArchiveRequest', ...Strict },
)
export type ArchiveRequest = Static<typeof ArchiveRequest>

export const Archive = Type.Object(
  {
    id: Uuid({ description: 'The archive’s ID' }),
    filename: Type.String({ examples: ['course.zip'] }),
    size: Type.String({
      description: 'Formatted for display, in decimal units',
      examples: ['250 MB'],
    }),
    bytes: Type.Integer({
      description: 'The exact size of the archive in bytes',
      examples: [250_000_812],
    }),
    files: Type.Integer({ description: 'Number of files', examples: [12] }),
    links: Type.Integer({
      description: 'Number of links: each is a file `NAME.url`, which opens the URL in a browser',
      examples: [1],
    }),
    etag: Type.String({
      description:
        'Identifies the bytes of the archive, without quotes. Continue a download only if the archive still has this ETag',
      examples: ['6ZuwQk0qK1mE8cTn2aF3yVd4xBhR7sLpJ9oWgUiAeXY'],
    }),
    url: Type.String({
      format: 'uri',
      description:
        'The URL of the archive: no key is needed. It supports GET and HEAD, ranges, `If-Range` and `If-Match`',
    }),
    expires_at: Type.String({
      format: 'date-time',
      description:
        'When the URL expires. A running download continues. Repeat the call to get another URL of the same archive',
    }),
  },
  { title: 'Archive' },
)
export type Archive = Static<typeof Archive>

export const ArchiveResponse = Type.Object({ data: Archive }, { title: 'ArchiveResponse' })
export type ArchiveResponse = Static<typeof ArchiveResponse>
