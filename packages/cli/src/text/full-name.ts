/** The name with the folder that the asset came from: files of the same name are told apart by it. */
export function fullName({ filename, path }: { filename: string; path?: string | null }): string {
  return path ? `${path}/${filename}` : filename
}
