import type { IncomingHttpHeaders } from 'node:http'

/** The object of a key never changes, so the key can be the ETag. */
export function etagOfKey(key: string): string {
  return `"${key}"`
}

/** An entity tag: its optional weak prefix, and its text with the quotes. */
const ENTITY_TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g

/**
 * Evaluates `If-Match` and `If-None-Match` for an existing object, in the order of RFC 9110, 13.2.2. The
 * object's own tag is strong.
 */
export function checkPreconditions(
  headers: IncomingHttpHeaders,
  etag: string,
): 'proceed' | 'failed' | 'not_modified' {
  const ifMatch = headers['if-match']
  if (ifMatch !== undefined && !matches(ifMatch, etag, { weakly: false })) return 'failed'
  const ifNoneMatch = headers['if-none-match']
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag, { weakly: true }))
    return 'not_modified'
  return 'proceed'
}

function matches(list: string, etag: string, { weakly }: { weakly: boolean }): boolean {
  if (list.trim() === '*') return true
  return [...list.matchAll(ENTITY_TAG)].some(
    ([, weak, tag]) => tag === etag && (weakly || weak === undefined),
  )
}

/** `end` is exclusive. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * Parses a Range header (RFC 9110, 14.2). Returns `whole` if there is none, or one that a server may
 * ignore: another unit, malformed, or several ranges.
 */
export function parseByteRange(
  header: string | undefined,
  size: number,
): ByteRange | 'whole' | 'unsatisfiable' {
  const match = /^bytes=\s*(\d*)-(\d*)\s*$/i.exec(header ?? '')
  if (match === null) return 'whole'
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return 'whole'
  if (first === '') {
    const length = Math.min(Number(last), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, end: size }
  }
  if (last !== '' && Number(last) < Number(first)) return 'whole'
  if (Number(first) >= size) return 'unsatisfiable'
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/** Whether a response to this Range header has the first byte. Servers ignore a header that they do not understand. */
export function startsAtFirstByte(header: string | undefined, size: number): boolean {
  const range = parseByteRange(header, size)
  return range === 'whole' || (range !== 'unsatisfiable' && range.start === 0)
}

/** Whether the response to GET has the first byte of something with this strong entity tag. */
export function hasFirstByte(
  headers: IncomingHttpHeaders,
  { size, etag }: { size: number; etag: string },
): boolean {
  if (checkPreconditions(headers, etag) !== 'proceed') return false
  const range = requestedRange(headers, { size, etag })
  return range === 'whole' || (range !== 'unsatisfiable' && range.start === 0)
}

/** The range that the request wants of something with this strong entity tag. */
export function requestedRange(
  headers: IncomingHttpHeaders,
  { size, etag }: { size: number; etag: string },
): ByteRange | 'whole' | 'unsatisfiable' {
  const condition = headers['if-range']
  if (condition !== undefined && condition !== etag) return 'whole'
  return parseByteRange(headers.range, size)
}
