import {
  type Asset,
  type Client,
  isStowageError,
  type Product,
  type ProductReferences,
} from '@stowage/client'
import pLimit from 'p-limit'
import { common } from '../i18n/en/common.ts'
import { plural } from '../i18n/texts.ts'

/** An asset, and products that it is attached to or was detached from. */
export interface Attachment {
  asset: Asset
  products: readonly Product[]
}

interface AttachmentIds {
  asset: Pick<Asset, 'id'>
  products: readonly Pick<Product, 'id'>[]
}

/** Attaches each asset to its products, or detaches it from them. Idempotent. */
export async function changeAttachments(
  client: Client,
  action: 'attach' | 'detach',
  attachments: readonly AttachmentIds[],
): Promise<void> {
  for (const { ids, products } of groupAttachments(attachments)) {
    await inChunks(ids, (some) =>
      inChunks(products, (references) => client.bulk({ action, ids: some, products: references })),
    )
  }
}

/** Assets with the same products need one call only. */
export function groupAttachments(
  attachments: readonly AttachmentIds[],
): { ids: string[]; products: string[] }[] {
  const groups = new Map<string, { ids: string[]; products: string[] }>()
  for (const { asset, products } of attachments) {
    const productIds = products.map(({ id }) => id).sort()
    const key = productIds.join()
    const group = groups.get(key) ?? { ids: [], products: productIds }
    group.ids.push(asset.id)
    groups.set(key, group)
  }
  return [...groups.values()]
}

interface DeletionOrRestoration {
  assets: readonly Asset[]
  /** Only for deletions: removes the assets immediately, even if they are in the trash. */
  isPermanent?: boolean
  signal?: AbortSignal
}

/**
 * Moves assets to the trash, removes them, or restores them. Each request changes all of its assets or none. If some
 * assets no longer exist, the others are changed one by one. A restoration then rejects with `not_found`, after the
 * others are restored.
 */
export async function deleteOrRestore(
  client: Client,
  action: 'delete' | 'restore',
  { assets, isPermanent = false, signal }: DeletionOrRestoration,
): Promise<void> {
  const all = assets.map(({ id }) => id)
  const change = { action, ...(isPermanent && { permanent: true }) }
  try {
    await inChunks(all, (ids) => client.bulk({ ...change, ids }, { signal }))
  } catch (error) {
    if (!isStowageError(error, 'invalid')) throw error
    await forEachAsset(assets, ({ id }) =>
      action === 'restore'
        ? client.restore(id, undefined, { signal })
        : client.delete(id, { permanent: isPermanent, signal }).catch(ignoreNotFound),
    )
  }
}

function ignoreNotFound(error: unknown): void {
  if (!isStowageError(error, 'not_found')) throw error
}

const PRODUCTS_PER_REQUEST = 1000

/** The products that the references stand for. The ID of a product in the shop means all of its variants. */
export async function findChosenProducts(
  client: Client,
  { products: ids = [], product_ids: productIds = [] }: ProductReferences,
): Promise<Product[]> {
  const found = new Map<string, Product>()
  for (const id of ids) found.set(id, await client.product(id))
  for (const product_id of productIds) {
    for await (const variant of client.products({ product_id, limit: PRODUCTS_PER_REQUEST })) {
      found.set(variant.id, variant)
    }
  }
  return [...found.values()]
}

const MAX_REQUESTS = 6

/** Continues when a call fails, and rejects with the first error after all calls are done. */
export async function forEachAsset(
  assets: readonly Asset[],
  call: (asset: Asset) => Promise<unknown>,
): Promise<void> {
  const results = await Promise.allSettled(assets.map(limited(call)))
  const failure = results.find((result) => result.status === 'rejected')
  if (failure !== undefined) throw failure.reason
}

function limited(call: (asset: Asset) => Promise<unknown>) {
  const limit = pLimit(MAX_REQUESTS)
  return (asset: Asset) => limit(call, asset)
}

/** The service accepts this many assets, and this many products, in one call. */
const MAX_IDS = 1000

/** Calls `call` with up to 1,000 of the IDs at a time, one call after the other. Stops at the first error. */
export async function inChunks(
  ids: readonly string[],
  call: (ids: string[]) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < ids.length; start += MAX_IDS) {
    await call(ids.slice(start, start + MAX_IDS))
  }
}

/** The assets in a message: the name of a single one, otherwise their number. */
export function assetsText(assets: readonly Asset[]): string {
  const [first] = assets
  return assets.length === 1 && first ? first.filename : plural(common.assets, assets.length)
}
