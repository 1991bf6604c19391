import type { AssetRecord } from '@stowage/server/src/database/account-data'
import type { NewProduct } from '@stowage/server/src/domain/product'

/** Only `RARE_COUNT` names contain this word. */
export const RARE = 'zebra'
export const RARE_COUNT = 300
/** All names contain this word. */
export const COMMON = 'pack'

/** A word in the variant name of every second product, and in some file names. */
export const PRODUCT_WORD = 'wav'

/** How many of `count` assets have `PRODUCT_WORD` in their file name or in their product. */
export function countWithProductWord(count: number): number {
  const all = Array.from({ length: 10 }, (_, index) => index)
  return (
    (count / 10) *
    all.filter((index) => index % 2 === 0 || pick(TYPES, index) === PRODUCT_WORD).length
  )
}

const PRODUCTS = 1000
const FIRST_AT = Date.UTC(2024, 0, 1)
const WORDS = ['summer', 'drum', 'vocal', 'guitar', 'ambient', 'studio', 'live', 'remix', 'loop']
const TYPES = ['zip', 'wav', 'pdf', 'mp4', 'jpg']

/** One asset in this many was replaced. It has one older version, as many as the service keeps by default. */
const REPLACED_EVERY = 11
/** There is one asset in the trash for this many ready ones. */
const TRASHED_EVERY = 20

/** IDs increase with the index, as those of real assets increase with time. */
export function assetId(index: number): string {
  return idAt(index, 0)
}

/** `offset` is in milliseconds: it places the IDs of assets in the trash between those of the ready assets. */
function idAt(index: number, offset: number): string {
  const time = (FIRST_AT + index * 1000 + offset).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${index.toString(16).padStart(12, '0')}`
}

/** The same products in every run. Each asset is attached to one of them. */
export function products(): NewProduct[] {
  return Array.from({ length: PRODUCTS }, (_, index) => ({
    id: productId(index),
    productId: 1_000_000 + Math.floor(index / 2),
    variantId: 2_000_000 + index,
    name: `${pick(WORDS, index)} ${pick(WORDS, index * 7)} ${index}`,
    variantName: index % 2 === 0 ? 'WAV' : 'MP3',
    sku: `SKU-${index}`,
    vendor: `Vendor ${index % 20}`,
    tags: [pick(WORDS, index * 3)],
  }))
}

/**
 * The ready asset at this index and, for some indexes, another asset in the trash. `count` is the number of ready
 * assets.
 */
export function recordsAt(
  accountId: string,
  index: number,
  { count, trashedAt }: { count: number; trashedAt: Date },
): AssetRecord[] {
  const ready = recordWith(accountId, { id: assetId(index), index, count })
  if (index % TRASHED_EVERY !== 0) return [ready]
  const trashed = recordWith(accountId, { id: idAt(index, 500), index, count })
  return [ready, { ...trashed, changedAt: trashedAt, trashedAt }]
}

function recordWith(
  accountId: string,
  { id, index, count }: { id: string; index: number; count: number },
): AssetRecord {
  const createdAt = new Date(FIRST_AT + index * 1000)
  const distance = Math.floor(count / RARE_COUNT)
  const isRare = index % distance === 0 && index < distance * RARE_COUNT
  const word = isRare ? RARE : pick(WORDS, index * 5)
  const chunkSize = 100_000_000
  const file = {
    filename: `${pick(WORDS, index)}-${word}-${COMMON}-${index}.${pick(TYPES, index)}`,
    bytes: 1000 + ((index * 7919) % 100_000),
    mime: 'application/octet-stream',
    integrity: {
      sha256: index.toString(16).padStart(64, '0'),
      verifiedAt: createdAt,
      isDamaged: false,
      isWithheld: false,
    },
    createdAt,
  }
  const isReplaced = index % REPLACED_EVERY === 3
  const version = isReplaced ? 2 : 1
  // The key of the first version is the ID of the asset.
  const key = isReplaced ? `${id.slice(0, 19)}f${id.slice(20)}` : id
  return {
    asset: {
      ...file,
      id,
      accountId,
      kind: 'file',
      status: 'ready',
      url: null,
      path: null,
      tags: [],
      isInline: false,
      updatedAt: createdAt,
      version,
    },
    upload: { id: key, chunkSize, expiresAt: createdAt },
    idempotency: undefined,
    changedAt: createdAt,
    productIds: [productId(index % PRODUCTS)],
    key,
    versionCreatedAt: createdAt,
    lastVersion: version,
    versions: isReplaced ? [{ ...file, version: 1, key: id, chunkSize }] : [],
  }
}

function productId(index: number): string {
  return `00000000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`
}

function pick(words: string[], index: number): string {
  return words[index % words.length] ?? ''
}
