import { folderRange } from './names.ts'

/** A folder that has ready assets, itself or below. */
export interface Folder {
  path: string
  /** The ready assets in it and below it. At most `MAX_COUNTED_ASSETS` are counted. */
  assets: number
  isExact: boolean
  /** Whether it has subfolders. */
  hasFolders: boolean
}

/** A move of a folder with everything that was in it and below it at the time of the call. */
export interface FolderMove {
  id: string
  from: string
  to: string
  createdAt: Date
  /** Null while assets remain. */
  finishedAt: Date | null
  /** How many assets have the new path, with unfinished uploads and assets in the trash. */
  moved: number
}

/** Whether one of the stored folders is the other one, or below it. */
function isRelated(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one)
}

/** Whether two moves of stored folders would change or reach the same assets. They may have the same target. */
export function movesOverlap(
  one: { source: string; destination: string },
  other: { source: string; destination: string },
): boolean {
  return (
    isRelated(one.source, other.source) ||
    isRelated(one.source, other.destination) ||
    isRelated(one.destination, other.source)
  )
}

/** Higher than every stored folder: no path is as long. */
const AFTER_ALL = '\u{10FFFF}'.repeat(513)

/**
 * The range of stored folders in which the subfolders of a folder after the one named `after` are found. `folder` is
 * stored; empty for the root.
 */
export function subfolderRange(folder: string, after?: string): { from: string; until: string } {
  const until = folder === '' ? AFTER_ALL : folderRange(folder).until
  // The space is the lowest character of a name, and the folder itself is lower.
  return {
    from: after === undefined ? `${folder} ` : folderRange(`${folder}${after}/`).until,
    until,
  }
}
