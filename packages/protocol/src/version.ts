import { Damaged, NullableChecksum } from './checksum.ts'
import { Uuid } from './schema.ts'
import { type Static, Type } from './type.ts'

/** The largest number that both databases store. */
const MAX_VERSION = 2_147_483_647

export const Version = Type.Object(
  {
    version: Type.Integer({
      description: 'The number of the version; numbers are never reused',
      examples: [2],
    }),
    filename: Type.String({ examples: ['sample-pack.zip'] }),
    size: Type.String({
      description: 'Formatted for display, in decimal units',
      examples: ['250 MB'],
    }),
    bytes: Type.Integer({ description: 'The exact size in bytes', examples: [250_000_000] }),
    mime: Type.String({ examples: ['application/zip'] }),
    created_at: Type.String({
      format: 'date-time',
      description: 'When the upload of this version was requested',
    }),
    checksum: NullableChecksum,
    damaged: Damaged,
    current: Type.Boolean({ description: 'Whether downloads of the asset return this version' }),
  },
  { title: 'Version' },
)
export type Version = Static<typeof Version>

export const VersionList = Type.Object(
  { data: Type.Array(Version, { description: 'The highest number first' }) },
  { title: 'VersionList' },
)
export type VersionList = Static<typeof VersionList>

export const VersionPath = Type.Object({
  id: Uuid({ description: 'The asset’s ID' }),
  version: Type.Integer({
    minimum: 1,
    maximum: MAX_VERSION,
    description: 'The number of the version',
  }),
})
