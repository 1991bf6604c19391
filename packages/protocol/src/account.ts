import { Check, Nullable, Problem, type Static, Strict, Type, Uuid } from './schema.ts'

function Scope(description = '`write` includes `read`; `manage` includes both') {
  return Type.Enum(['read', 'write', 'manage'], {
    type: 'string',
    description,
    ...Problem('must be read, write or manage'),
  })
}

export const AccountResponse = Type.Object(
  {
    data: Type.Object({
      name: Type.String(),
      plan: Type.Object({
        name: Type.String(),
        storage: Type.Integer({ description: 'Bytes that the plan allows' }),
        assets: Nullable('integer', {
          description:
            'How many ready assets and unfinished uploads the plan allows; null: any number',
        }),
      }),
      stored: Type.Integer({ description: 'Bytes of ready files, including older versions' }),
      reserved: Type.Integer({ description: 'Bytes of unfinished uploads' }),
      trash: Type.Integer({
        description: 'Bytes in the trash, which are available for new uploads',
      }),
      trash_for: Type.Integer({
        description:
          'How many seconds deleted assets stay in the trash; 0 if the service removes them immediately',
      }),
      keep_versions: Type.Integer({
        description:
          'How many older versions of a file are kept. A replacement removes those that were replaced before',
      }),
      checksums: Type.Boolean({
        description:
          'Whether the service computes the SHA-256 of each file after its upload. If false, `checksum` of new files stays null',
      }),
      available: Type.Integer({ description: 'Bytes available for new uploads' }),
      assets: Type.Integer({ description: 'Number of ready assets' }),
      scope: Scope('The scope of the key in use; `manage` on a service without keys'),
    }),
  },
  { title: 'AccountResponse' },
)
export type AccountResponse = Static<typeof AccountResponse>

export const UsageResponse = Type.Object(
  {
    data: Type.Object({
      types: Type.Array(
        Type.Object({
          type: Type.Enum(['image', 'video', 'audio', 'document', 'archive', 'other', 'link'], {
            type: 'string',
            description: 'Derived from the media type; links use no storage',
          }),
          bytes: Type.Integer({ description: 'Bytes of ready files, including older versions' }),
          assets: Type.Integer({ description: 'Number of ready assets' }),
        }),
        {
          description:
            'Sorted by bytes, descending; types that have neither bytes nor assets are omitted. Older versions count toward `bytes` of their own type, but not toward `assets`',
        },
      ),
    }),
  },
  { title: 'UsageResponse' },
)
export type UsageResponse = Static<typeof UsageResponse>

const key = {
  id: Uuid(),
  name: Type.String({ examples: ['shop backend'] }),
  scope: Scope(),
  hint: Type.String({ description: 'The last characters of the secret', examples: ['stow_…x7Qa'] }),
  created_at: Type.String({ format: 'date-time' }),
  expires_at: Nullable('string', { description: 'When the key stops working; null: never' }),
  last_used_at: Nullable('string', { description: 'Accurate to the minute' }),
  revoked_at: Nullable('string'),
}

export const Key = Type.Object(key, { title: 'Key' })
export type Key = Static<typeof Key>

export const KeyList = Type.Object({ data: Type.Array(Key) }, { title: 'KeyList' })

export const KeyRequest = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 255,
      ...Problem('must be a string of 1 to 255 characters'),
    }),
    scope: Scope(),
    expires_at: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: 40,
        ...Check('timestamp'),
        ...Problem('must be a time such as 2026-12-31T23:59:59Z, or null'),
        description: 'When the key stops working, in ISO 8601; null: never',
        examples: ['2026-12-31T23:59:59Z'],
      }),
    ),
  },
  { title: 'KeyRequest', ...Strict },
)
export type KeyRequest = Static<typeof KeyRequest>

export const NewKeyResponse = Type.Object(
  {
    data: Type.Object(
      { ...key, secret: Type.String({ description: 'Returned only once: store it now' }) },
      { title: 'NewKey' },
    ),
  },
  { title: 'NewKeyResponse' },
)
export type NewKeyResponse = Static<typeof NewKeyResponse>

export const SessionResponse = Type.Object(
  {
    data: Type.Object(
      {
        requires_key: Type.Boolean({ description: 'False if the service is open' }),
        key: Type.Unsafe<{
          id: string | null
          name: string
          scope: 'read' | 'write' | 'manage'
          hint: string | null
        } | null>({
          type: ['object', 'null'],
          description: 'The key in use; null if the service is open',
          required: ['id', 'name', 'scope', 'hint'],
          properties: {
            id: Nullable('string', { description: 'Null for the key of `STOWAGE_ADMIN_KEY`' }),
            name: Type.String(),
            scope: Scope(),
            hint: Nullable('string', { description: 'The last characters of the secret' }),
          },
        }),
        expires_at: Nullable('string', {
          description: 'When the session ends; null if there is no session',
        }),
      },
      { title: 'Session' },
    ),
  },
  { title: 'SessionResponse' },
)
export type SessionResponse = Static<typeof SessionResponse>
export type Session = SessionResponse['data']

export const SessionRequest = Type.Object(
  {
    remember: Type.Optional(
      Type.Boolean({
        description:
          'Whether the session lasts 30 days. Otherwise it ends when the browser is closed, or after 7 days at the latest',
        ...Problem('must be true or false'),
      }),
    ),
  },
  { title: 'SessionRequest', ...Strict },
)
export type SessionRequest = Static<typeof SessionRequest>

/** How many keys of an account can be active at the same time. */
export const MAX_KEYS = 100

export const KeyPath = Type.Object({ id: Uuid({ description: 'The key’s ID' }) })
export const Deleted = Type.Object(
  { deleted: Type.Boolean({ examples: [true] }) },
  { title: 'Deleted' },
)
export const Revoked = Type.Object(
  { revoked: Type.Boolean({ examples: [true] }) },
  { title: 'Revoked' },
)
