import type { Event, EventAsset, EventUpload, EventWebhook } from '../../domain/event.ts'
import type { Product } from '../../domain/product.ts'

/** What can be known about an account from its events alone. */
export interface ReplayedAccount {
  assets: Map<string, ReplayedAsset>
  /** By upload ID. */
  uploads: Map<string, EventUpload>
  products: Map<string, Product>
  /** The names of the keys that are not revoked, by ID. */
  keys: Map<string, string>
  webhooks: Map<string, EventWebhook>
}

export interface ReplayedAsset {
  state: 'uploading' | 'ready' | 'trashed'
  facts: Pick<EventAsset, 'filename' | 'bytes' | 'mime' | 'version' | 'path'> & {
    url: string | null
    isDamaged: boolean
  }
  lastVersion: number
  /** The IDs of its products. */
  products: Set<string>
}

export function noEvents(): ReplayedAccount {
  return {
    assets: new Map(),
    uploads: new Map(),
    products: new Map(),
    keys: new Map(),
    webhooks: new Map(),
  }
}

export function replayEvent(account: ReplayedAccount, event: Event): void {
  const { products, keys, webhooks } = account
  switch (event.type) {
    case 'upload.started':
    case 'upload.updated':
      keepUpload(account, event.data)
      break
    case 'upload.cancelled':
    case 'upload.expired':
      endUpload(account, event.data)
      break
    case 'product.updated':
      products.set(event.data.id, event.data)
      break
    case 'product.deleted':
      deleteProduct(account, event.data.id)
      break
    case 'key.created':
      keys.set(event.data.id, event.data.name)
      break
    case 'key.revoked':
      keys.delete(event.data.id)
      break
    case 'webhook.created':
    case 'webhook.updated':
      webhooks.set(event.data.id, event.data)
      break
    case 'webhook.deleted':
      webhooks.delete(event.data.id)
      break
    case 'token.created':
    case 'version.deleted':
    case 'account.storage_low':
      break
    default:
      replayAsset(account, event)
  }
}

type AssetEvent = Extract<Event, { data: EventAsset }>

function replayAsset(account: ReplayedAccount, { type, data }: AssetEvent): void {
  const asset = account.assets.get(data.id)
  if (type === 'asset.removed') {
    account.assets.delete(data.id)
    return
  }
  const products = asset?.products ?? new Set()
  if (type === 'asset.attached') for (const { id } of data.products) products.add(id)
  if (type === 'asset.detached') for (const { id } of data.products) products.delete(id)
  if (type === 'asset.restored') {
    for (const id of products) if (!account.products.has(id)) products.delete(id)
  }
  // A new version has a number that none had before. Restoring a version does not end an unfinished replacement.
  const isNew = type === 'asset.replaced' && data.version > (asset?.lastVersion ?? 0)
  if (type === 'asset.ready' || isNew) forgetUploads(account, data.id, isNew)
  account.assets.set(data.id, {
    state: stateAfter(type, asset),
    facts: factsOf(data),
    lastVersion: Math.max(asset?.lastVersion ?? 1, data.version),
    products,
  })
}

function stateAfter(
  type: AssetEvent['type'],
  asset: ReplayedAsset | undefined,
): ReplayedAsset['state'] {
  if (type === 'asset.deleted') return 'trashed'
  if (type === 'asset.ready' || type === 'asset.restored') return 'ready'
  return asset?.state ?? 'uploading'
}

export function factsOf(
  asset: Omit<EventAsset, 'trashedAt' | 'accountId'>,
): ReplayedAsset['facts'] {
  const { filename, bytes, mime, url, version, path, integrity } = asset
  return { filename, bytes, mime, url, version, path, isDamaged: integrity.isDamaged }
}

function keepUpload({ assets, uploads }: ReplayedAccount, upload: EventUpload): void {
  uploads.set(upload.uploadId, upload)
  if (upload.isReplacement) return
  const { filename, bytes, mime, path } = upload
  const known = assets.get(upload.id)
  assets.set(upload.id, {
    state: 'uploading',
    facts: known
      ? { ...known.facts, bytes }
      : { filename, bytes, mime, url: null, version: 1, path, isDamaged: false },
    lastVersion: 1,
    products: known?.products ?? new Set(),
  })
}

function endUpload({ assets, uploads }: ReplayedAccount, upload: EventUpload): void {
  uploads.delete(upload.uploadId)
  if (!upload.isReplacement) assets.delete(upload.id)
}

function forgetUploads({ uploads }: ReplayedAccount, id: string, isReplacement: boolean): void {
  for (const upload of uploads.values()) {
    if (upload.id === id && upload.isReplacement === isReplacement) uploads.delete(upload.uploadId)
  }
}

/** Also detaches its assets. */
function deleteProduct({ assets, products }: ReplayedAccount, id: string): void {
  products.delete(id)
  for (const asset of assets.values()) asset.products.delete(id)
}
