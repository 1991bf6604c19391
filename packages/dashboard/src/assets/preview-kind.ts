import type { Asset } from '@stowage/client'

export type PreviewKind = 'image' | 'audio' | 'video' | 'pdf'

/** What browsers draw. An SVG too, as in an image none of its scripts run. */
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/
/** All of it is read before it is shown. */
const LARGEST_PDF = 50_000_000

/** Undefined: it is not shown, HTML least of all. */
export function previewKindOf({ mime, bytes, is_file }: Asset): PreviewKind | undefined {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!is_file || bytes === 0) return undefined
  if (IMAGES.test(type)) return 'image'
  if (type.startsWith('audio/')) return 'audio'
  if (type.startsWith('video/')) return 'video'
  if (type === 'application/pdf' && bytes <= LARGEST_PDF) return 'pdf'
  return undefined
}
