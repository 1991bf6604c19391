import type { ProductSelection } from '../domain/product.ts'
import type { NewUploadToken } from '../domain/upload-token.ts'

export type AddedUploadToken =
  | { outcome: 'added'; expiresAt: Date }
  /** Nothing was stored. */
  | { outcome: 'products_not_found'; unknown: ProductSelection }

/** The upload tokens of one account. `AccountData.reserveUpload` applies their limits. */
export interface UploadTokenData {
  /** The token expires `lifetimeMs` from now, by the database's clock. Its products must exist. */
  addUploadToken(token: NewUploadToken, lifetimeMs: number): Promise<AddedUploadToken>
}
