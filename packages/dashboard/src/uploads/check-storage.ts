import type { PickedFile } from './picked-file.ts'
import { isActive, type UploadItem } from './upload-item.ts'

/** Files that were not accepted, because the plan does not have enough storage for all of them. */
export interface StorageShortage {
  files: readonly PickedFile[]
  /** Those that fit when they are accepted in order. */
  fitting: readonly PickedFile[]
  needed: number
  available: number
}

interface Request {
  files: readonly PickedFile[]
  /** Files that were rejected earlier and neither uploaded nor dismissed since. */
  previous: StorageShortage | undefined
  available: number
}

/** Accepts all files or none. Files that were rejected earlier stay rejected, unless they are among the new ones. */
export function checkStorage({ files, previous, available }: Request): {
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
