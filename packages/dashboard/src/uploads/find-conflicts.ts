import type { Asset, Client } from '@stowage/client'
import pLimit from 'p-limit'
import type { PickedFile } from './picked-file.ts'

/** A file whose folder already has an asset with the same name. */
export interface NameConflict {
  picked: PickedFile
  existing: Asset
}

/** One request returns at most this many. */
const MAX_ASSETS = 1000
const MAX_REQUESTS = 6
/** Without retries, because the caller waits until the service can be reached again. */
const ONCE = { retry: { tries: 1 } }

/** With few assets one request is enough; with many, each name is searched. */
export async function findConflicts(
  client: Client,
  files: readonly PickedFile[],
  assetCount: number,
): Promise<NameConflict[]> {
  const assets = await findAssets(client, files, assetCount)
  const keyOf = (folder: string, name: string) => `${folder}/${name.normalize('NFC')}`
  const existing = new Map(assets.map((asset) => [keyOf(asset.path ?? '', asset.filename), asset]))
  return files.flatMap((picked) => {
    const asset = existing.get(keyOf(picked.folder, picked.file.name))
    return asset === undefined ? [] : [{ picked, existing: asset }]
  })
}

async function findAssets(
  client: Client,
  files: readonly PickedFile[],
  assetCount: number,
): Promise<Asset[]> {
  if (assetCount === 0) return []
  const list = async (query: { filename?: string }) => {
    const { data } = await client
      .assets({ ...query, type: 'file', limit: MAX_ASSETS, ...ONCE })
      .page()
    return data
  }
  if (assetCount <= MAX_ASSETS) return list({})
  const limit = pLimit(MAX_REQUESTS)
  const names = [...new Set(files.map(({ file }) => file.name))]
  const found = await Promise.all(names.map((filename) => limit(list, { filename })))
  return found.flat()
}
