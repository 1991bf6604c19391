import type { Asset } from '../domain/asset.ts'
import type { Key, NewKey } from '../domain/key.ts'
import type { NewOrder } from '../domain/order.ts'
import type { ProductSelection } from '../domain/product.ts'
import type { NewUploadToken } from '../domain/upload-token.ts'
import type { AssetsExceeded } from '../domain/usage.ts'
import type { WebhookState } from '../domain/webhook.ts'
import type { NewWebhook } from './event-data.ts'
import type { PutOrder } from './order-data.ts'

/** Nothing was stored if the ready assets of the account have `MAX_ACCOUNT_TAGS` different tags, without the new one. */
export type LinkOutcome = 'added' | 'too_many_tags' | AssetsExceeded

export type AddedUploadToken =
  | { outcome: 'added'; createdAt: Date; expiresAt: Date }
  /** Nothing was stored. */
  | { outcome: 'products_not_found'; unknown: ProductSelection }
  /** The account has `maxTokens` tokens that have not expired. Nothing was stored. */
  | { outcome: 'too_many' }

/** A creation with an `Idempotency-Key`: it runs once, even if calls with the same key are concurrent. */
export interface Once {
  key: string
  /** Of the call and its body. */
  digest: string
  /** The ID of what is created. */
  id: string
  nonce: string
}

export type OnceOutcome<Added> =
  /** The result of the creation. If it has created nothing, the key can be used again. */
  | { outcome: 'first'; added: Added }
  /** Nothing was created now. `id` and `nonce` are those of the first call. */
  | { outcome: 'repeated'; id: string; nonce: string }
  /** The key was used for a different call. */
  | { outcome: 'key_reused' }

/** Creates what the methods without `Once` in their names create, and records the key, atomically. */
export interface OnceData {
  addLinkOnce(once: Once, asset: Asset): Promise<OnceOutcome<LinkOutcome>>
  addKeyOnce(once: Once, key: NewKey, maxKeys: number): Promise<OnceOutcome<Key | undefined>>
  addWebhookOnce(
    once: Once,
    webhook: NewWebhook,
    maxWebhooks: number,
  ): Promise<OnceOutcome<WebhookState | undefined>>
  addUploadTokenOnce(
    once: Once,
    token: NewUploadToken,
    limits: { lifetimeMs: number; maxTokens: number },
  ): Promise<OnceOutcome<AddedUploadToken>>
  /** Records the key only if it creates the order: changing an order can be repeated anyway. */
  putOrderOnce(once: Once, order: NewOrder): Promise<OnceOutcome<PutOrder>>
}
