import { extname } from 'node:path'

/** Common types of digital goods. */
const TYPES: Record<string, string> = {
  aac: 'audio/aac',
  aiff: 'audio/aiff',
  avif: 'image/avif',
  csv: 'text/csv',
  epub: 'application/epub+zip',
  flac: 'audio/flac',
  gif: 'image/gif',
  gz: 'application/gzip',
  heic: 'image/heic',
  html: 'text/html',
  jpeg: 'image/jpeg',
  jpg: 'image/jpeg',
  json: 'application/json',
  m4a: 'audio/mp4',
  m4v: 'video/x-m4v',
  md: 'text/markdown',
  mid: 'audio/midi',
  mkv: 'video/x-matroska',
  mobi: 'application/x-mobipocket-ebook',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  ogg: 'audio/ogg',
  otf: 'font/otf',
  pdf: 'application/pdf',
  png: 'image/png',
  psd: 'image/vnd.adobe.photoshop',
  rar: 'application/vnd.rar',
  svg: 'image/svg+xml',
  tar: 'application/x-tar',
  tiff: 'image/tiff',
  ttf: 'font/ttf',
  txt: 'text/plain',
  wav: 'audio/wav',
  webm: 'video/webm',
  webp: 'image/webp',
  woff2: 'font/woff2',
  zip: 'application/zip',
  '7z': 'application/x-7z-compressed',
}

/** Returns the media type for the extension of the name; empty if unknown. */
export function mimeOf(name: string): string {
  return TYPES[extname(name).slice(1).toLowerCase()] ?? ''
}
