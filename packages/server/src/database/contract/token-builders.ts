import assert from 'node:assert/strict'
import { v7 as newUuid } from 'uuid'
import type { ProductSelection } from '../../domain/product.ts'
import type { NewUploadToken } from '../../domain/upload-token.ts'
import type { AccountData } from '../account-data.ts'

const HOUR_MS = 3_600_000

export function select(selection: Partial<ProductSelection>): ProductSelection {
  return { productIds: [], variantIds: [], ids: [], skus: [], ...selection }
}

export function aToken(limits: Partial<NewUploadToken> = {}): NewUploadToken {
  const id = newUuid()
  return {
    id,
    hash: `hash of ${id}`,
    keyHash: 'hash of a key',
    maxBytes: 100,
    maxFiles: 10,
    mediaTypes: null,
    origin: null,
    attach: null,
    replaces: null,
    ...limits,
  }
}

export async function addToken(
  data: AccountData,
  limits: Partial<NewUploadToken> = {},
  lifetimeMs = HOUR_MS,
): Promise<NewUploadToken> {
  const token = aToken(limits)
  const { outcome } = await data.addUploadToken(token, lifetimeMs)
  assert.equal(outcome, 'added')
  return token
}
