import type { UploadOptions } from '@stowage/client'

/** A file that the user chose or dropped. */
export interface PickedFile {
  file: File
  /** The folder that it came from, such as `course/videos`. Empty for a file without one. */
  folder: string
  /** Products to attach it to. */
  attach: UploadOptions['attach']
}

/** Files of a file input. For files of a chosen folder, the browser sets the path. */
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
