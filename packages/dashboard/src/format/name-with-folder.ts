/** `notes.txt in course/week 1`: distinguishes files of the same name. */
export function nameWithFolder(file: { filename: string; path: string | null }): string {
  return file.path === null ? file.filename : `${file.filename} in ${file.path}`
}
