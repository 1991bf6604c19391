/** The name with the folder of the asset, because files in different folders may have the same name. */
export function fullName({ filename, path }: { filename: string; path?: string | null }): string {
  return path ? `${path}/${filename}` : filename
}
