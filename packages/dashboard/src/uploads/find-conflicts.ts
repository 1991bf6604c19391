import type { Asset, Client } from '@stowage/client'
import pLimit from 'p-limit'
import type { PickedFile } from './picked-file.ts'

/** A file whose folder already has an asset with the same name. */
export interface NameConflict {
  picked: PickedFile
  /** The newest asset with this name. */
  existing: Asset
  /** The number of assets with this name. */
  count: number
}

/** One request returns at most this many assets. */
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
  const existing = Map.groupBy(assets, ({ path, filename }) => keyOf(path ?? '', filename))
  return files.flatMap((picked) => {
    // The service lists the newest first.
    const [newest, ...older] = existing.get(keyOf(picked.folder, picked.file.name)) ?? []
    return newest === undefined ? [] : [{ picked, existing: newest, count: 1 + older.length }]
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
