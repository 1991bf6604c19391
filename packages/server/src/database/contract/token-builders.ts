import assert from 'node:assert/strict'
import { v7 as newUuid } from 'uuid'
import type { ProductSelection } from '../../domain/product.ts'
import type { NewUploadToken } from '../../domain/upload-token.ts'
import type { AccountData } from '../account-data.ts'
import type { Reservation } from '../reservation.ts'
import { anUpload, KEEP, KEPT } from './builders.ts'

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
  const { outcome } = await data.addUploadToken(token, { lifetimeMs, maxTokens: 100 })
  assert.equal(outcome, 'added')
  return token
}

/** Reserves an upload of the token. */
export async function reserveWith(
  data: AccountData,
  tokenId: string,
  facts: { size?: number; keptForMs?: number; replaces?: string; key?: string } = {},
): Promise<{ id: string; reservation: Reservation }> {
  const { size = 10, keptForMs = KEPT.keptForMs, replaces, key } = facts
  const replaced = replaces && { replaces: { assetId: replaces, keepsName: true } }
  const upload = anUpload({ size, tokenId, ...replaced })
  const reservation = await data.reserveUpload({
    upload,
    keptForMs,
    ...(key && { idempotency: { key, digest: 'same' } }),
  })
  return { id: upload.asset.id, reservation }
}

export async function complete(data: AccountData, id: string): Promise<void> {
  await data.beginCompletion(id, KEPT)
  assert.equal(await data.finishCompletion(id, KEEP), 'ready')
}

export function exceeded(bytes: number, files: number): Reservation {
  return { outcome: 'token_exceeded', remaining: { bytes, files } }
}

export async function outcomeOf(
  data: AccountData,
  tokenId: string,
  size: number,
): Promise<Reservation> {
  return (await reserveWith(data, tokenId, { size })).reservation
}
