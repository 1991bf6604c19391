import type { Asset, Client, Product } from '@stowage/client'
import { inChunks } from './in-chunks.ts'

/** An asset, and products that it is attached to or was detached from. */
export interface Attachment {
  asset: Asset
  products: readonly Product[]
}

/** Attaches each asset to its products, or detaches it from them. Idempotent. */
export async function changeAttachments(
  client: Client,
  action: 'attach' | 'detach',
  attachments: readonly Attachment[],
): Promise<void> {
  for (const { ids, products } of groupAttachments(attachments)) {
    await inChunks(ids, (some) =>
      inChunks(products, (references) => client.bulk({ action, ids: some, products: references })),
    )
  }
}

/** Assets with the same products need one call only. */
export function groupAttachments(
  attachments: readonly Attachment[],
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
