/**
 * The Content-Disposition of a download (RFC 6266, RFC 8187). Old clients read the ASCII name, all
 * others the UTF-8 name.
 */
export function attachmentNamed(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/[^\x20-\x7e]/g, '_')
    .replaceAll(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

/** Whether browsers save the object or show it, and its name. */
export function dispositionOf({
  filename,
  isInline = false,
}: {
  filename: string
  isInline?: boolean
}): string {
  const attachment = attachmentNamed(filename)
  return isInline ? attachment.replace('attachment', 'inline') : attachment
}
