import { PageLinks, PageMeta } from './paging.ts'
import { ProductReferences } from './product.ts'
import { Check, MAX_INTEGER, Nullable, Problem, type Static, Strict, Type, Uuid } from './schema.ts'

/** The longest time for which an upload token can start uploads, in seconds. */
export const MAX_TOKEN_SECONDS = 86_400
export const DEFAULT_TOKEN_SECONDS = 3600
/** How many upload tokens of an account can be valid at the same time. */
export const MAX_UPLOAD_TOKENS = 20_000
const MAX_TOKEN_FILES = 1000
const MAX_PATTERNS = 50
const LIFETIME_PROBLEM = `must be a whole number of seconds from 1 to ${MAX_TOKEN_SECONDS}, or a string such as 30m or 24h`

export const UploadTokenRequest = Type.Object(
  {
    max_bytes: Type.Integer({
      minimum: 0,
      maximum: MAX_INTEGER,
      description: 'The maximum size of all files together, in bytes',
      examples: [50_000_000],
      ...Problem(`must be a whole number of bytes from 0 to ${MAX_INTEGER}`),
    }),
    max_files: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_TOKEN_FILES,
        default: 1,
        description: 'The maximum number of files',
        ...Problem(`must be a whole number from 1 to ${MAX_TOKEN_FILES}`),
      }),
    ),
    mime: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 255,
          ...Check('media-type-pattern'),
          ...Problem('must be a media type such as application/zip, or a pattern such as image/*'),
        }),
        {
          minItems: 1,
          maxItems: MAX_PATTERNS,
          description:
            'The allowed media types, such as `application/pdf` or `image/*`. They are compared with the `mime` that the page declares; the content of the file is not examined. If omitted, every type is allowed',
          examples: [['image/*', 'application/pdf']],
          ...Problem(`must be an array of 1 to ${MAX_PATTERNS} media types`),
        },
      ),
    ),
    attach: Type.Optional(
      Type.Object(ProductReferences.properties, {
        description: 'The products that each file is attached to',
        ...Strict,
      }),
    ),
    replace: Type.Optional(
      Uuid({
        description:
          'The ID of a file. The token then uploads new versions of this file, with `POST /assets/:id/signed`, and no new assets. It cannot be combined with `attach`: the asset keeps its products',
      }),
    ),
    expires_in: Type.Optional(
      Type.Unsafe<number | string>({
        anyOf: [
          { type: 'integer', minimum: 1, maximum: MAX_TOKEN_SECONDS },
          { type: 'string', maxLength: 32 },
        ],
        default: DEFAULT_TOKEN_SECONDS,
        description:
          'How long the token can start uploads: seconds, or a string such as 30m. At most 24 hours',
        examples: [3600],
        ...Check('token-lifetime'),
        ...Problem(LIFETIME_PROBLEM),
      }),
    ),
    origin: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        ...Check('origin'),
        description:
          'The origin of the pages that may use the token. Browsers then cannot use it on pages of other origins',
        examples: ['https://shop.example'],
        ...Problem('must be an origin such as https://shop.example, without a path'),
      }),
    ),
  },
  { title: 'UploadTokenRequest', ...Strict },
)
export type UploadTokenRequest = Static<typeof UploadTokenRequest>

const uploadToken = {
  id: Uuid({ description: 'Identifies the token, for example in `started_by` of its uploads' }),
  max_bytes: Type.Integer({ description: 'The maximum size of all files together, in bytes' }),
  max_files: Type.Integer({ description: 'The maximum number of files' }),
  mime: Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: Type.String(),
    description: 'The allowed media types; null for every type',
  }),
  origin: Nullable('string', {
    description: 'The origin of the pages that may use it; null for every origin',
  }),
  attach: Type.Unsafe<ProductReferences | null>({
    type: ['object', 'null'],
    properties: ProductReferences.properties,
    description: 'The products that each file is attached to; null for none',
  }),
  replace: Nullable('string', {
    description: 'The ID of the file that it uploads new versions of; null if it creates assets',
  }),
  created_by: Type.Unsafe<{ id: string | null; name: string } | null>({
    type: ['object', 'null'],
    required: ['id', 'name'],
    properties: {
      id: Nullable('string', {
        description: 'The ID of the key; null for the key from the settings of the service',
      }),
      name: Type.String({ examples: ['shop backend'] }),
    },
    description: 'The key that created it; null if the service requires no key',
  }),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Type.String({
    format: 'date-time',
    description:
      'Until when the token can start uploads; when it was revoked, if that was earlier. It can continue and complete uploads that it started before, unless it was revoked',
  }),
  revoked_at: Nullable('string', { description: 'When it was revoked; null if it was not' }),
}

export const UploadToken = Type.Object(uploadToken, { title: 'UploadToken' })
export type UploadToken = Static<typeof UploadToken>

export const NewUploadToken = Type.Object(
  {
    ...uploadToken,
    token: Type.String({
      description: 'The token. Returned only once',
      examples: ['stowup_…'],
    }),
  },
  { title: 'NewUploadToken' },
)
export type NewUploadToken = Static<typeof NewUploadToken>

export const UploadTokenResponse = Type.Object(
  { data: UploadToken },
  { title: 'UploadTokenResponse' },
)
export const UploadTokenPage = Type.Object(
  { data: Type.Array(UploadToken), links: PageLinks, meta: PageMeta },
  { title: 'UploadTokenPage' },
)
export type UploadTokenPage = Static<typeof UploadTokenPage>

export const UploadTokenPath = Type.Object({ id: Uuid({ description: 'The token’s ID' }) })
