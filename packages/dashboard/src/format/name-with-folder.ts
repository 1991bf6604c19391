/** `notes.txt in course/week 1`: tells files of the same name apart. */
export function nameWithFolder(file: { filename: string; path: string | null }): string {
  return file.path === null ? file.filename : `${file.filename} in ${file.path}`
}
