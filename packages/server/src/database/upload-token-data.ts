import type { ProductSelection } from '../domain/product.ts'
import type { NewUploadToken } from '../domain/upload-token.ts'

export type AddedUploadToken =
  | { outcome: 'added'; expiresAt: Date }
  /** Nothing was stored. */
  | { outcome: 'products_not_found'; unknown: ProductSelection }
  /** The account has `maxTokens` tokens that have not expired. Nothing was stored. */
  | { outcome: 'too_many' }

/** The upload tokens of one account. `AccountData.reserveUpload` applies their limits. */
export interface UploadTokenData {
  /**
   * The token expires `lifetimeMs` from now, by the database's clock. Its products must exist. Concurrent calls cannot
   * exceed `maxTokens`.
   */
  addUploadToken(
    token: NewUploadToken,
    limits: { lifetimeMs: number; maxTokens: number },
  ): Promise<AddedUploadToken>
}
