import type * as wire from '@stowage/protocol'
import type { Checksum } from '@stowage/protocol'
import { formatSize, formatTimestamp } from '@stowage/protocol/format'
import type { Asset, Integrity } from '../domain/asset.ts'
import { type BulkFailure, type BulkJob, problemWithUndoing } from '../domain/bulk.ts'
import type { Folder, FolderMove } from '../domain/folder.ts'
import type { Key } from '../domain/key.ts'
import type { Product } from '../domain/product.ts'
import { MAX_ACCOUNT_TAGS } from '../domain/tags.ts'

export function presentAsset(asset: Asset): wire.Asset {
  return {
    id: asset.id,
    filename: asset.filename,
    size: formatSize(asset.bytes),
    is_file: asset.kind === 'file',
    is_link: asset.kind === 'link',
    url: asset.url,
    status: asset.status === 'ready' ? 'ready' : 'uploading',
    bytes: asset.bytes,
    mime: asset.mime,
    created_at: formatTimestamp(asset.createdAt),
    updated_at: formatTimestamp(asset.updatedAt),
    version: asset.version,
    path: asset.path,
    tags: asset.tags,
    inline: asset.isInline,
    checksum: presentChecksum(asset.integrity),
    damaged: asset.integrity.isDamaged,
  }
}

/** Null until the bytes were read and had the expected digest. */
export function presentChecksum({ sha256, verifiedAt }: Integrity): Checksum | null {
  if (sha256 === null || verifiedAt === null) return null
  return { sha256, verified_at: formatTimestamp(verifiedAt) }
}

export function presentProduct(product: Product): wire.Product {
  return {
    id: product.id,
    name: product.name,
    variant_name: product.variantName,
    sku: product.sku,
    product_id: product.productId,
    variant_id: product.variantId,
    vendor: product.vendor,
    tags: product.tags,
  }
}

export function presentFolder({ path, assets, isExact, hasFolders }: Folder): wire.Folder {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { name, path, assets, assets_is_exact: isExact, has_folders: hasFolders }
}

export function presentFolderMove({ finishedAt, ...move }: FolderMove): wire.FolderMove {
  return {
    id: move.id,
    from: move.from,
    to: move.to,
    status: finishedAt === null ? 'moving' : 'moved',
    moved: move.moved,
    created_at: formatTimestamp(move.createdAt),
    finished_at: finishedAt === null ? null : formatTimestamp(finishedAt),
  }
}

export function presentBulkJob(job: BulkJob, now: Date): wire.BulkJob {
  const { id, change, status, failure, total, done, changed } = job
  return {
    id,
    action: change.action,
    status,
    ...{ total, done, changed, skipped: done - changed },
    error: failure === null ? null : BULK_FAILURES[failure],
    can_undo: job.undoneBy === null && problemWithUndoing(job, now) === undefined,
    undoes: job.undoes,
    undone_by: job.undoneBy,
    created_at: formatTimestamp(job.createdAt),
    finished_at: job.finishedAt === null ? null : formatTimestamp(job.finishedAt),
  }
}

const BULK_FAILURES: Record<BulkFailure, { code: string; message: string }> = {
  storage_exceeded: {
    code: 'storage_exceeded',
    message:
      'The plan has no room for the other assets. Delete assets or upgrade the plan, then restore the others.',
  },
  assets_exceeded: {
    code: 'assets_exceeded',
    message:
      'The plan does not allow the other assets. Delete assets or upgrade the plan, then restore the others.',
  },
  too_many_tags: {
    code: 'invalid',
    message: `The account would have more than ${MAX_ACCOUNT_TAGS} different tags. Use existing tags, or remove some from all assets.`,
  },
}

/** A key as the API and the CLI show it, without its hash. */
export function presentKey(key: Omit<Key, 'hash'>): wire.Key {
  return {
    id: key.id,
    name: key.name,
    scope: key.scope,
    hint: key.hint,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  }
}
