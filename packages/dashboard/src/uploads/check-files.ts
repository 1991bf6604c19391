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

/** Files that were not accepted, because the plan does not have enough storage for all of them. */
export interface StorageShortage {
  files: readonly PickedFile[]
  /** Those that fit when they are accepted in order. */
  fitting: readonly PickedFile[]
  needed: number
  available: number
}

interface StorageCheck {
  files: readonly PickedFile[]
  /** Files that were rejected earlier and neither uploaded nor dismissed since. */
  previous: StorageShortage | undefined
  available: number
}

/** Accepts all files or none. Files that were rejected earlier stay rejected, unless they are among the new ones. */
export function checkStorage({ files, previous, available }: StorageCheck): {
  accepted: readonly PickedFile[]
  shortage: StorageShortage | undefined
} {
  const earlier = previous?.files.filter((one) => !files.some((file) => isSame(one, file))) ?? []
  const needed = totalSizeOf(files)
  if (needed > available) {
    return { accepted: [], shortage: shortageOf([...earlier, ...files], available) }
  }
  return { accepted: files, shortage: shortageOf(earlier, available - needed) }
}

function shortageOf(files: readonly PickedFile[], available: number): StorageShortage | undefined {
  if (files.length === 0) return undefined
  return { files, fitting: fittingOf(files, available), needed: totalSizeOf(files), available }
}

function isSame({ file: one }: PickedFile, { file: other }: PickedFile): boolean {
  return (
    one.name === other.name && one.size === other.size && one.lastModified === other.lastModified
  )
}

/** The total size of uploads in the tray for which the service has not reserved storage yet. */
export function bytesToReserve(items: Iterable<UploadItem>): number {
  return totalSizeOf([...items].filter((item) => isActive(item) && item.id === undefined))
}

function fittingOf(files: readonly PickedFile[], available: number): PickedFile[] {
  let remaining = available
  return files.filter(({ file: { size } }) => {
    if (size > remaining) return false
    remaining -= size
    return true
  })
}

function totalSizeOf(files: readonly { file: File }[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0)
}
