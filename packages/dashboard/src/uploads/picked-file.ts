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
