import { isUnderWay, type UploadItem } from './upload-item.ts'

/** Files that were not taken, as the plan has no room for them all. */
export interface Refusal {
  files: readonly File[]
  /** Those that there is room for, one after the other. */
  fitting: readonly File[]
  needed: number
  available: number
}

interface Wish {
  files: readonly File[]
  /** What people were told of, and neither sent nor dismissed. */
  refused: Refusal | undefined
  available: number
}

/** All of the files are taken, or none. What was refused before stays so, unless it is among them. */
export function findRoom({ files, refused, available }: Wish): {
  taken: readonly File[]
  refusal: Refusal | undefined
} {
  const before = refused?.files.filter((one) => !files.some((file) => isSame(one, file))) ?? []
  const needed = sizeOf(files)
  if (needed > available) return { taken: [], refusal: refuse([...before, ...files], available) }
  return { taken: files, refusal: refuse(before, available - needed) }
}

function refuse(files: readonly File[], available: number): Refusal | undefined {
  if (files.length === 0) return undefined
  return { files, fitting: fittingOf(files, available), needed: sizeOf(files), available }
}

function isSame(one: File, other: File): boolean {
  return (
    one.name === other.name && one.size === other.size && one.lastModified === other.lastModified
  )
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
