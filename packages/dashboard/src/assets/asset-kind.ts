import type { Asset } from '@stowage/client'

export type AssetKind = 'link' | 'image' | 'audio' | 'video' | 'pdf' | 'archive' | 'text' | 'file'

const ARCHIVE = /(zip|tar|compressed|gzip|7z|rar|archive)/

/** The kind of content, in everyday terms. */
export function kindOf({ is_link, mime }: Asset): AssetKind {
  if (is_link) return 'link'
  const [family = ''] = mime.split('/')
  if (family === 'image' || family === 'audio' || family === 'video') return family
  if (mime === 'application/pdf') return 'pdf'
  if (ARCHIVE.test(mime)) return 'archive'
  return family === 'text' ? 'text' : 'file'
}

/** Undefined for a link asset without a size. */
export function sizeOf({ is_link, bytes, size }: Asset): string | undefined {
  return is_link && bytes === 0 ? undefined : size
}

export const KIND_LABELS: Record<AssetKind, string> = {
  link: 'URL',
  image: 'Image',
  audio: 'Audio',
  video: 'Video',
  pdf: 'PDF',
  archive: 'Archive',
  text: 'Text',
  file: 'File',
}
