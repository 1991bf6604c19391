import type { UploadOptions } from '@stowage/client'

/** A file that the user chose or dropped. */
export interface PickedFile {
  file: File
  /** The folder that it came from, such as `course/videos`. Empty for a file without one. */
  folder: string
  /** Products to attach it to. */
  attach: UploadOptions['attach']
  /** The asset that gets the file as its new version. Undefined: the file becomes a new asset. */
  replaces?: Replacement | undefined
}

export interface Replacement {
  /** The ID of the asset. */
  id: string
  /** The name of the asset when the file was chosen. */
  filename: string
  /** Undefined: the asset keeps its name. */
  newName?: string | undefined
}

/** Takes the folder of each file from the path that the browser sets for files of a chosen folder. */
export function pickFiles(files: Iterable<File>): PickedFile[] {
  return Array.from(files, (file) => ({
    file,
    folder: folderOf(file.webkitRelativePath),
    attach: undefined,
  }))
}

/** `course/videos` of `course/videos/1.mp4`. */
function folderOf(path: string): string {
  return path.split('/').slice(0, -1).filter(Boolean).join('/').normalize('NFC')
}

/** Files that operating systems create in folders. */
const JUNK = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini'])

/** All dropped files, including those in folders. Must be called synchronously in the drop event. */
export async function droppedFiles(transfer: DataTransfer): Promise<PickedFile[]> {
  // The browser clears the items after the event.
  const entries = Array.from(transfer.items, (item) => item.webkitGetAsEntry())
  const files = Array.from(transfer.files)
  const found = entries.filter((entry) => entry !== null)
  if (found.length === 0) return pickFiles(files)
  const all = await Promise.all(found.map(filesOf))
  return all.flat()
}

async function filesOf(entry: FileSystemEntry): Promise<PickedFile[]> {
  if (JUNK.has(entry.name)) return []
  if (isFile(entry)) {
    const file = await new Promise<File>((resolve, reject) => entry.file(resolve, reject))
    return pickFiles([withPath(file, entry.fullPath)])
  }
  const files: PickedFile[] = []
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  for (;;) {
    // Browsers return up to 100 entries per call.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (entries.length === 0) return files
    for (const child of entries) files.push(...(await filesOf(child)))
  }
}

/** Sets the path that browsers set only for files of a chosen folder. The client takes the folder from it. */
function withPath(file: File, fullPath: string): File {
  const value = fullPath.replace(/^\//, '')
  return value.includes('/') ? Object.defineProperty(file, 'webkitRelativePath', { value }) : file
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}
