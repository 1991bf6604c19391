import type { Asset } from '@stowage/client'

export type PreviewKind = 'image' | 'audio' | 'video' | 'pdf'

/** Images that browsers display. SVG is safe, because its scripts do not run in an image element. */
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/
/** For files that are loaded completely before they are shown. */
const MAX_BYTES = 50_000_000

/** Undefined if there is no preview. HTML is never shown. */
export function previewKindOf({ mime, bytes, is_file }: Asset): PreviewKind | undefined {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!is_file || bytes === 0) return undefined
  if (type.startsWith('audio/')) return 'audio'
  if (type.startsWith('video/')) return 'video'
  if (bytes > MAX_BYTES) return undefined
  if (IMAGES.test(type)) return 'image'
  if (type === 'application/pdf') return 'pdf'
  return undefined
}
