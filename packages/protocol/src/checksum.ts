import { Type } from './type.ts'

export const SHA256_EXAMPLE = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'

/** The digest of a file or a version. */
export interface Checksum {
  sha256: string
  verified_at: string
}

/** A schema with an array of types serializes much faster than `anyOf`. */
export const NullableChecksum = Type.Unsafe<Checksum | null>({
  type: ['object', 'null'],
  required: ['sha256', 'verified_at'],
  properties: {
    sha256: Type.String({ description: 'In hexadecimal', examples: [SHA256_EXAMPLE] }),
    verified_at: Type.String({
      format: 'date-time',
      description: 'When the service last read the file and found this digest',
    }),
  },
  description:
    'The SHA-256 of the file. Null for links, and until the service has verified the file once',
})

export const Damaged = Type.Boolean({
  description:
    'Whether the stored bytes do not match the declared SHA-256, have changed since the upload, or cannot be read. A damaged file cannot be downloaded. If a new version does not match its declared SHA-256, downloads return the previous version',
})
