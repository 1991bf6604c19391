import type { Actor, Key, KeyScope } from '../../domain/key.ts'
import type { UploadToken } from '../../domain/upload-token.ts'

/** The sender of a request, and its permissions. */
export interface Caller {
  accountId: string
  scope: KeyScope
  /** The rate limit counts requests by this ID. */
  keyId: string
  /** The key or the upload token; null if the service requires no key. */
  actor: Actor | null
  /** Undefined for the admin key and upload tokens, and on an open service. */
  key?: Key
  /** The SHA-256 of the admin key that the caller has used. */
  adminHash?: string
  /** Set if the caller is a browser that is signed in. */
  session?: { token: string; expiresAt: Date }
  /** Set if the caller is a page with an upload token. It may only upload, within the limits of the token. */
  uploadToken?: UploadToken
  /** The name of the key that created the upload token; null if the service requires none. */
  tokenCreatedBy?: string | null
}
