import type { Asset } from '@stowage/client'

export type PreviewKind = 'image' | 'audio' | 'video' | 'pdf'

/** What browsers draw. An SVG too, as in an image none of its scripts run. */
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/
/** Of what is read as a whole before it is shown. */
const LARGEST = 50_000_000

/** Undefined: it is not shown, HTML least of all. */
export function previewKindOf({ mime, bytes, is_file }: Asset): PreviewKind | undefined {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!is_file || bytes === 0) return undefined
  if (type.startsWith('audio/')) return 'audio'
  if (type.startsWith('video/')) return 'video'
  if (bytes > LARGEST) return undefined
  if (IMAGES.test(type)) return 'image'
  if (type === 'application/pdf') return 'pdf'
  return undefined
}
