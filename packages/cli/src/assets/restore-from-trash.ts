import type { Asset, NodeClient } from '@stowage/client/node'
import { AssetNotFound, getAsset, getTrashedAsset, UUID } from './get-asset.ts'

/**
 * Restores the asset with this ID, or the one in the trash with this name. An asset that is not in the trash
 * is returned unchanged.
 */
export async function restoreFromTrash(
  client: NodeClient,
  wanted: string,
): Promise<{ asset: Asset; wasInTrash: boolean }> {
  // The service finds an asset in the trash by its ID, so the trash need not be searched for it.
  if (UUID.test(wanted)) {
    const asset = await findOutsideTrash(client, wanted)
    if (asset !== undefined) return { asset, wasInTrash: false }
    return { asset: await client.restore(wanted), wasInTrash: true }
  }
  try {
    const { id } = await getTrashedAsset(client, wanted)
    return { asset: await client.restore(id), wasInTrash: true }
  } catch (error) {
    if (!(error instanceof AssetNotFound)) throw error
    const asset = await findOutsideTrash(client, wanted)
    if (asset === undefined) throw error
    return { asset, wasInTrash: false }
  }
}

async function findOutsideTrash(client: NodeClient, wanted: string): Promise<Asset | undefined> {
  try {
    return await getAsset(client, wanted)
  } catch (error) {
    if (error instanceof AssetNotFound) return undefined
    throw error
  }
}
