import { isUnderWay, type UploadItem } from './upload-item.ts'

/** Files that were not taken, as the plan has no room for them all. */
export interface Refusal {
  files: readonly File[]
  /** Those that there is room for, one after the other. */
  fitting: readonly File[]
  needed: number
  available: number
}

/** Undefined when there is room for all of them. */
export function findRefusal(files: readonly File[], available: number): Refusal | undefined {
  const needed = sizeOf(files)
  if (needed <= available) return undefined
  return { files, fitting: fittingOf(files, available), needed, available }
}

/** Of files in the tray which the service has not been told of yet. */
export function bytesToReserve(items: Iterable<UploadItem>): number {
  const untold = [...items].filter((item) => isUnderWay(item) && item.id === undefined)
  return sizeOf(untold.map(({ file }) => file))
}

function fittingOf(files: readonly File[], available: number): File[] {
  let left = available
  return files.filter(({ size }) => {
    if (size > left) return false
    left -= size
    return true
  })
}

function sizeOf(files: readonly File[]): number {
  return files.reduce((sum, { size }) => sum + size, 0)
}
