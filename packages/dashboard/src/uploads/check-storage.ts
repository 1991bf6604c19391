import { isActive, type UploadItem } from './upload-item.ts'

/** Files that were not accepted, because the plan has no storage for all of them. */
export interface StorageShortage {
  files: readonly File[]
  /** Those that fit when they are accepted in order. */
  fitting: readonly File[]
  needed: number
  available: number
}

interface Request {
  files: readonly File[]
  /** Files that were rejected earlier and neither uploaded nor dismissed since. */
  previous: StorageShortage | undefined
  available: number
}

/** Accepts all files or none. Earlier rejected files stay rejected, unless they are among the new ones. */
export function checkStorage({ files, previous, available }: Request): {
  accepted: readonly File[]
  shortage: StorageShortage | undefined
} {
  const earlier = previous?.files.filter((one) => !files.some((file) => isSame(one, file))) ?? []
  const needed = totalSizeOf(files)
  if (needed > available) {
    return { accepted: [], shortage: shortageOf([...earlier, ...files], available) }
  }
  return { accepted: files, shortage: shortageOf(earlier, available - needed) }
}

function shortageOf(files: readonly File[], available: number): StorageShortage | undefined {
  if (files.length === 0) return undefined
  return { files, fitting: fittingOf(files, available), needed: totalSizeOf(files), available }
}

function isSame(one: File, other: File): boolean {
  return (
    one.name === other.name && one.size === other.size && one.lastModified === other.lastModified
  )
}

/** The total size of uploads in the tray for which the service has not reserved storage yet. */
export function bytesToReserve(items: Iterable<UploadItem>): number {
  const unreserved = [...items].filter((item) => isActive(item) && item.id === undefined)
  return totalSizeOf(unreserved.map(({ file }) => file))
}

function fittingOf(files: readonly File[], available: number): File[] {
  let remaining = available
  return files.filter(({ size }) => {
    if (size > remaining) return false
    remaining -= size
    return true
  })
}

function totalSizeOf(files: readonly File[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
