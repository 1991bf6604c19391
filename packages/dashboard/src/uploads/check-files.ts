import type { Asset, Client } from '@stowage/client'
import pLimit from 'p-limit'
import type { PickedFile } from './picked-file.ts'
import { isActive, type UploadItem } from './upload-item.ts'

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

/** Divides the files: in their order, each one that the available storage still has room for is accepted. */
export function divideByStorage(
  files: readonly PickedFile[],
  available: number,
): { accepted: PickedFile[]; refused: PickedFile[] } {
  let remaining = available
  const { accepted = [], refused = [] } = Object.groupBy(files, ({ file: { size } }) => {
    if (size > remaining) return 'refused'
    remaining -= size
    return 'accepted'
  })
  return { accepted, refused }
}

/** The files of a list that are not among the others, which may be the same files, chosen again. */
export function withoutSame(
  files: readonly PickedFile[],
  others: readonly PickedFile[],
): PickedFile[] {
  return files.filter((one) => !others.some((other) => isSame(one, other)))
}

function isSame(one: PickedFile, other: PickedFile): boolean {
  return (
    one.file.name === other.file.name &&
    one.file.size === other.file.size &&
    one.file.lastModified === other.file.lastModified &&
    one.folder === other.folder &&
    one.replaces?.id === other.replaces?.id
  )
}

/** The total size of uploads in the tray for which the service has not reserved storage yet. */
export function bytesToReserve(items: Iterable<UploadItem>): number {
  return totalSizeOf([...items].filter((item) => isActive(item) && item.id === undefined))
}

export function totalSizeOf(files: readonly { file: File }[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0)
}
