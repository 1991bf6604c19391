import type { Asset } from '@stowage/client'
import { sizeText } from '../format.ts'

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
export function sizeOf({ is_link, bytes }: Asset): string | undefined {
  return is_link && bytes === 0 ? undefined : sizeText(bytes)
}

export type PreviewKind = 'image' | 'audio' | 'video' | 'pdf' | 'text'

/** Images that browsers display. SVG is safe, because its scripts do not run in an image element. */
const IMAGES = /^image\/(png|jpeg|gif|webp|avif|bmp|svg\+xml|x-icon|vnd\.microsoft\.icon)$/
const TEXT_TYPES =
  /^(text\/(?!html|rtf).*|application\/(.*\+)?(json|xml|yaml|x-yaml|toml|sql|javascript|x-subrip|x-sh))$/
/** The names of text files, in case the browser that uploaded them did not know their type. */
const TEXT_NAMES = /\.(txt|md|markdown|csv|tsv|json|xml|ya?ml|toml|ini|log|srt|vtt|sql)$/i
const UNKNOWN = ['', 'application/octet-stream']
/** The maximum size of a file that is loaded completely before it is shown. */
const MAX_PREVIEW_BYTES = 50_000_000

/** Undefined if there is no preview. HTML is never shown. */
export function previewKindOf({ filename, mime, bytes, is_file }: Asset): PreviewKind | undefined {
  const type = mime.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!is_file || bytes === 0) return undefined
  if (type.startsWith('audio/')) return 'audio'
  if (type.startsWith('video/')) return 'video'
  if (IMAGES.test(type)) return bytes > MAX_PREVIEW_BYTES ? undefined : 'image'
  if (type === 'application/pdf') return bytes > MAX_PREVIEW_BYTES ? undefined : 'pdf'
  if (type === 'application/xhtml+xml') return undefined
  // Only the start of a text is loaded.
  if (TEXT_TYPES.test(type) || (UNKNOWN.includes(type) && TEXT_NAMES.test(filename))) return 'text'
  return undefined
}
